// The handler of webhooks, with the test kit: no database, a receiver on this machine.

#include "workloads/webhooks/deliverer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rowrunner/testing.hpp>

#include "common/log.hpp"
#include "common/scratch_folder.hpp"
#include "queries/webhooks.hpp"
#include "support/http_stand_in.hpp"

namespace rowrunner::webhooks {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
namespace asio = boost::asio;

class delivery_trial : public ::testing::Test {
 protected:
  delivery_trial() {
    delivery_.columns = {
        {"url", receiver_.url("/hook")}, {"payload", R"({"n":1})"}, {"has_token", "f"},
        {"token_member", std::nullopt},  {"success_by", "status"},  {"sends", "1"}};
  }
  ~delivery_trial() override { io_.join(); }

  void answers(int status, const std::string& body = {},
               const testing::http_exchange::fields& headers = {}) {
    receiver_.on("POST /hook", [=](testing::http_exchange& x) { x.answer(status, body, headers); });
  }
  testing::trial_run run() { return delivery_.run(handler_); }
  /// What the end of the last attempt notes of the answer: status, text, and whether it was taken.
  static std::vector<std::optional<std::string>> noted(const testing::trial_run& run) {
    const auto effects = run.effects();
    EXPECT_THAT(effects, SizeIs(1));
    EXPECT_EQ(effects.at(0).sql, queries::webhook_answered.text);
    return {effects[0].params[1], effects[0].params[2], effects[0].params[3]};
  }

  const scratch_folder folder_;
  testing::http_stand_in receiver_;
  testing::trial delivery_;
  asio::thread_pool io_{1};
  services engine_{io_.get_executor(),
                   delivery_.database([this](const std::string&, const query_params&) {
                     return query_result{{{token_}}, 1};
                   }),
                   std::make_shared<logger>(log_level::off)};
  workload_services all_{engine_, environment({{"LOCAL_STORAGE_PATH", folder_.path().string()},
                                               {"OUTBOUND_ALLOW", "127.0.0.0/8"}})};
  deliverer serve_{engine_, all_.outbound, settings{}, [] { return 0.5; }};
  const coroutine_handler handler_ = [this](job& self) { return serve_.run(self); };
  std::optional<std::string> token_ = "secret";
};

TEST_F(delivery_trial, notes_what_the_receiver_answered) {
  answers(200, "thanks");
  const auto taken = run();
  ASSERT_TRUE(taken.succeeded()) << taken.error;
  EXPECT_EQ(noted(taken), (std::vector<std::optional<std::string>>{"200", "thanks", "true"}));
  EXPECT_THAT(taken.steps, IsEmpty());
}

TEST_F(delivery_trial, waits_longer_after_each_refusal) {
  answers(500, "no");
  std::chrono::milliseconds last{0};
  for (delivery_.attempt = 1; delivery_.attempt <= 3;) {
    const auto refused = run();
    ASSERT_TRUE(refused.failed());
    const auto& how = std::get<failed>(*refused.returned);
    EXPECT_FALSE(how.final);
    ASSERT_TRUE(how.after);
    EXPECT_GT(*how.after, last);
    last = *how.after;
    EXPECT_EQ(noted(refused), (std::vector<std::optional<std::string>>{"500", "no", "false"}));
  }
}

TEST_F(delivery_trial, ends_for_a_receiver_that_is_gone) {
  answers(410);
  const auto refused = run();
  ASSERT_TRUE(refused.failed());
  EXPECT_TRUE(std::get<failed>(*refused.returned).final);
}

// The receiver has the event; a try after the step was stored asks only for the answer.
TEST_F(delivery_trial, that_was_taken_elsewhere_is_not_sent_again) {
  answers(303, "", {{"Location", "/answer"}});
  receiver_.on("GET /answer", [](testing::http_exchange& x) { x.answer(503); });
  const auto first = run();
  ASSERT_THAT(first.steps, SizeIs(1));
  EXPECT_EQ(first.steps[0].name, "taken 1");
  ASSERT_TRUE(first.failed());
  EXPECT_THAT(std::get<failed>(*first.returned).error, HasSubstr("the event was taken (303)"));
  receiver_.on("GET /answer", [](testing::http_exchange& x) { x.answer(200); });
  EXPECT_TRUE(run().succeeded());
  EXPECT_THAT(receiver_.calls("POST /hook"), SizeIs(1));
}

TEST_F(delivery_trial, sends_nothing_while_its_token_cannot_be_read) {
  answers(200);
  delivery_.columns["has_token"] = "t";
  const auto without = delivery_.fail_at(1, "permission denied").run(handler_);
  EXPECT_TRUE(without.failed());
  EXPECT_THAT(receiver_.calls("POST /hook"), IsEmpty());
  ASSERT_TRUE(run().succeeded());
  EXPECT_EQ(receiver_.calls("POST /hook").at(0).header("Authorization"), "Bearer secret");
}

}  // namespace
}  // namespace rowrunner::webhooks
