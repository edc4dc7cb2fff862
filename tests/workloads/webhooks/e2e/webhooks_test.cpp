// Deliveries with the real binary: workers that die, signatures that others verify, commands.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <set>

#include "support/command.hpp"
#include "support/http_stand_in.hpp"
#include "support/watched_database.hpp"

namespace rowrunner::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* first_secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
constexpr const char* second_secret = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";

class webhooks_e2e : public ::testing::Test {
 protected:
  webhooks_e2e() { db.watch("webhook_deliveries"); }

  process_environment env(process_environment more = {}) const {
    more.insert({{"DATABASE_URL", db.url()},
                 {"OUTBOUND_ALLOW", "127.0.0.0/8"},
                 {"LOCAL_STORAGE_PATH", ::testing::TempDir() + "/hooks_store"},
                 {"WEBHOOK_RETRIES", "10ms"},
                 {"LEASE_SECONDS", "1"}});
    return more;
  }
  std::unique_ptr<child_process> worker(process_environment more = {}) const {
    return std::make_unique<child_process>(
        std::vector<std::string>{rowrunner_binary(), "worker", "--kind", "webhook_delivery"},
        env(std::move(more)));
  }
  std::string enqueue(const std::string& path, const std::string& more = "") {
    return db.value("SELECT public.enqueue_webhook('" + receiver.url(path) +
                    R"(', '{"event": "T", "text": "語"}')" + more + ")");
  }
  bool reaches(const std::string& id, const std::string& status) {
    return db.becomes("SELECT status FROM webhook_deliveries WHERE id = '" + id + "'", status);
  }

  watched_database db{test_database::contents::workloads};
  http_stand_in receiver;
};

TEST_F(webhooks_e2e, a_worker_that_is_killed_in_a_call_leaves_the_event_to_another) {
  std::atomic<int> calls = 0;
  receiver.on("POST /hook", [&](http_exchange& x) {
    if (++calls == 1) return x.hang();
    x.answer(200);
  });
  const auto id = enqueue("/hook");
  auto lost = worker();
  ASSERT_TRUE(receiver.wait_for_calls(1));
  lost->kill(SIGKILL);
  const auto other = worker();
  ASSERT_TRUE(reaches(id, "succeeded"));
  std::set<std::string> ids;
  for (const auto& call : receiver.calls()) ids.insert(call.header("webhook-id"));
  EXPECT_EQ(ids, std::set<std::string>{"msg_" + id});
}

TEST_F(webhooks_e2e, a_worker_that_is_killed_after_the_event_was_taken_does_not_repeat_it) {
  receiver.on("POST /exec", [](http_exchange& x) { x.answer(302, "", {{"Location", "/echo"}}); });
  std::atomic<int> asked = 0;
  receiver.on("GET /echo", [&](http_exchange& x) {
    if (++asked == 1) return x.hang();
    x.answer(200);
  });
  const auto id = enqueue("/exec");
  auto lost = worker();
  ASSERT_TRUE(receiver.wait_for_calls(2));
  lost->kill(SIGKILL);
  const auto other = worker();
  ASSERT_TRUE(reaches(id, "succeeded"));
  EXPECT_EQ(receiver.calls("POST /exec").size(), 1u);
}

// Both libraries are what receivers use; see tests/web/run for how they get here.
TEST_F(webhooks_e2e, libraries_of_others_verify_the_signature_with_either_of_two_secrets) {
  receiver.on("POST /hook", [](http_exchange& x) { x.answer(200); });
  const auto id = enqueue("/hook", ", token => 't', token_member => 'token'");
  const auto running =
      worker({{"WEBHOOK_SECRET", std::string(first_secret) + " " + second_secret}});
  ASSERT_TRUE(reaches(id, "succeeded"));
  const auto call = receiver.calls().at(0);
  for (const char* secret : {first_secret, second_secret}) {
    const auto verified = run_process(
        {source_dir() + "/tests/workloads/webhooks/verify/run", secret, call.header("webhook-id"),
         call.header("webhook-timestamp"), call.header("webhook-signature"), call.body});
    EXPECT_EQ(verified.exit_code, 0) << verified.err;
    EXPECT_EQ(verified.out,
              "standardwebhooks verified\nsvix verified\n"
              "standardwebhooks refuses another body\nsvix refuses another body\n");
  }
}

TEST_F(webhooks_e2e, what_was_not_delivered_is_listed_and_sent_again) {
  const command rowrunner(db);
  EXPECT_EQ(rowrunner.out({"webhooks", "list"}), "everything was delivered\n");
  std::atomic<bool> broken = true;
  receiver.on("POST /hook", [&](http_exchange& x) { x.answer(broken ? 410 : 200, "s3cret?"); });
  const auto one = enqueue("/hook", ", token => 's3cret', token_member => 'token'");
  const auto two = enqueue("/hook?b", ", source => 'order 7'");
  const auto running = worker();
  ASSERT_TRUE(reaches(one, "failed"));
  ASSERT_TRUE(reaches(two, "failed"));

  const auto listed = rowrunner.parsed({"webhooks", "list"}).at("deliveries");
  ASSERT_EQ(listed.size(), 2u);
  const auto of_order = rowrunner.parsed({"webhooks", "list", "--source", "order 7"});
  ASSERT_EQ(of_order.at("deliveries").size(), 1u);
  EXPECT_EQ(of_order.at("deliveries")[0].at("id"), two);
  EXPECT_EQ(of_order.at("deliveries")[0].at("answer_status"), 410);
  const auto shown = rowrunner.out({"webhooks", "show", one});
  EXPECT_THAT(shown, HasSubstr("******"));
  EXPECT_THAT(shown, Not(HasSubstr("s3cret")));
  EXPECT_THAT(rowrunner.out({"jobs", "show", one}), Not(HasSubstr("s3cret")));

  broken = false;
  EXPECT_EQ(rowrunner.out({"webhooks", "send-again", one}), "1 delivery is queued again\n");
  ASSERT_TRUE(reaches(one, "succeeded"));
  EXPECT_EQ(rowrunner.out({"webhooks", "send-again", "--all"}), "1 delivery is queued again\n");
  ASSERT_TRUE(reaches(two, "succeeded"));
  EXPECT_EQ(rowrunner.out({"webhooks", "list"}), "everything was delivered\n");
  EXPECT_THAT(rowrunner.error(2, {"webhooks", "send-again"}), HasSubstr("either an ID or --all"));
  EXPECT_THAT(rowrunner.error(2, {"webhooks", "show", "7"}), HasSubstr("is not the id"));
  EXPECT_THAT(rowrunner.error(1, {"webhooks", "show", "00000000-0000-0000-0000-000000000000"}),
              HasSubstr("there is no delivery"));
}

TEST_F(webhooks_e2e, settings_that_make_no_sense_are_refused_at_start) {
  const auto refused = [this](const std::string& name, const std::string& value) {
    const auto ended =
        run_process({rowrunner_binary(), "worker", "--drain", "--kind", "webhook_delivery"},
                    env({{name, value}}));
    EXPECT_EQ(ended.exit_code, 2) << name;
    EXPECT_THAT(ended.err, HasSubstr(name));
    return ended.err;
  };
  refused("WEBHOOK_TIMEOUT", "soon");
  refused("WEBHOOK_TIMEOUT", "0");
  refused("WEBHOOK_RETRIES", "5 parsecs");
  refused("WEBHOOK_ENDPOINT_CALLS", "0");
  EXPECT_THAT(refused("WEBHOOK_SECRET", "hush"), Not(HasSubstr("hush")));
}

}  // namespace
}  // namespace rowrunner::testing
