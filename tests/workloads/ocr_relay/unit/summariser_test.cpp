// The handler of summaries, with the test kit: a database that answers as the test says.

#include "workloads/ocr_relay/summariser.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rowrunner/testing.hpp>

#include "common/log.hpp"
#include "queries/ocr_relay.hpp"
#include "queries/webhooks.hpp"

namespace rowrunner::ocr_relay {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class summary_trial : public ::testing::Test {
 protected:
  testing::trial_run run() { return summary_.run(handler_); }

  query_result answer(const std::string& sql) const {
    if (sql == queries::relay_summary_pages.text) return {pages_, 0};
    if (!exists_) return {};
    return {{{"7", "job_1", "order-1", status_, std::nullopt, "2", "https://example.com/hook",
              "status", "secret"}},
            1};
  }

  bool exists_ = true;
  std::string status_ = "succeeded";
  std::vector<std::vector<std::optional<std::string>>> pages_ = {
      {"1", "DONE", "f", std::nullopt, "t", "succeeded", std::nullopt},
      {"2", "DONE", "f", std::nullopt, "t", "succeeded", std::nullopt}};
  testing::trial summary_;
  boost::asio::io_context io_;
  services engine_{io_.get_executor(),
                   summary_.database(
                       [this](const std::string& sql, const query_params&) { return answer(sql); }),
                   std::make_shared<logger>(log_level::off)};
  summariser serve_{engine_};
  const coroutine_handler handler_ = [this](job& self) { return serve_.run(self); };
};

TEST_F(summary_trial, is_enqueued_and_noted_with_the_end) {
  const auto made = run();
  ASSERT_TRUE(made.succeeded()) << made.error;
  const auto effects = made.effects();
  ASSERT_THAT(effects, SizeIs(2));
  EXPECT_EQ(effects[0].sql, queries::webhook_enqueue.text);
  EXPECT_THAT(effects[0].params, Contains(std::optional<std::string>("https://example.com/hook")));
  EXPECT_EQ(effects[1].sql, queries::relay_summary_made.text);
  EXPECT_EQ(effects[1].params[1], "DONE");
  EXPECT_THAT(*effects[1].params[2], Not(HasSubstr("secret")));
}

TEST_F(summary_trial, says_what_was_not_delivered) {
  pages_[1] = {"2", "DONE", "f", std::nullopt, "f", "queued", "the receiver answered 500"};
  const auto made = run();
  ASSERT_THAT(made.effects(), SizeIs(2));
  EXPECT_EQ(made.effects()[1].params[1], "ERROR");
  EXPECT_THAT(*made.effects()[1].params[2], HasSubstr("the receiver answered 500"));
}

TEST_F(summary_trial, waits_while_its_job_runs_again) {
  for (const std::string status : {"queued", "processing"}) {
    status_ = status;
    const auto early = run();
    EXPECT_TRUE(early.returned && std::holds_alternative<snoozed>(*early.returned)) << status;
    EXPECT_THAT(early.effects(), IsEmpty());
  }
}

TEST_F(summary_trial, ends_without_its_job) {
  exists_ = false;
  const auto without = run();
  ASSERT_TRUE(without.failed());
  EXPECT_TRUE(std::get<failed>(*without.returned).final);
}

TEST_F(summary_trial, enqueues_nothing_when_its_pages_cannot_be_read) {
  const auto refused = summary_.fail_at(2, "permission denied").run(handler_);
  EXPECT_TRUE(refused.failed());
  EXPECT_THAT(refused.effects(), IsEmpty());
}

}  // namespace
}  // namespace rowrunner::ocr_relay
