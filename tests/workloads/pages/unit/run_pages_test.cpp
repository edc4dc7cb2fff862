// The page loop, with the test kit: failures, stops, and what is left for the next attempt.
#include "workloads/pages/run_pages.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <rowrunner/testing.hpp>

#include "workloads/pages/page_retry.hpp"
#include "workloads/providers/error.hpp"

namespace rowrunner::pages {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;
using namespace std::chrono_literals;

/// Reads pages as a test says, and keeps what was asked.
class pages_trial : public ::testing::Test {
 protected:
  testing::trial_run run() {
    failures_.clear();
    const coroutine_handler handler = [this](job& self) { return handle(self); };
    return document_.run(handler);
  }

  asio::awaitable<outcome> handle(job& self) {
    page_body body = [this](int page) { return read(page); };
    page_failed_body failed = [](int page, const std::string& error) {
      return note_failure(page, error);
    };
    failures_ = co_await run_pages(self, options_, body, failed);
    if (failures_.empty()) co_return succeeded{};
    co_return final_failure("page " + std::to_string(failures_.front().page));
  }

  asio::awaitable<step_result> read(int page) {
    asked_.push_back(page);
    ++running_;
    most_ = std::max(most_, running_);
    if (slow_) {
      asio::steady_timer timer(co_await asio::this_coro::executor, 1ms);
      std::exception_ptr cancelled;
      try {
        co_await timer.async_wait(asio::use_awaitable);
      } catch (...) {
        cancelled = std::current_exception();
      }
      if (cancelled) {
        --running_;
        ++cancelled_;
        std::rethrow_exception(cancelled);
      }
    }
    --running_;
    if (trouble_) trouble_(page);
    step_result out(nlohmann::json{{"page", page}});
    out.effects.push_back({"INSERT", {std::to_string(page)}});
    co_return out;
  }

  static asio::awaitable<step_result> note_failure(int page, std::string error) {
    step_result out{nlohmann::json(error)};
    out.effects.push_back({"FAILED", {std::to_string(page), error}});
    co_return out;
  }

  std::vector<std::string> names(const testing::trial_run& of) const {
    std::vector<std::string> out;
    for (const auto& step : of.steps) out.push_back(step.name);
    std::sort(out.begin(), out.end());
    return out;
  }

  testing::trial document_;
  page_options options_{3, 1, 3};
  std::function<void(int)> trouble_;
  bool slow_ = false;
  int running_ = 0;
  int most_ = 0;
  int cancelled_ = 0;
  std::vector<int> asked_;
  std::vector<page_failure> failures_;
};

TEST_F(pages_trial, each_page_is_a_step_with_its_effects_and_progress) {
  const auto done = run();
  EXPECT_TRUE(done.succeeded()) << done.error;
  EXPECT_THAT(names(done), ElementsAre("page-0001", "page-0002", "page-0003"));
  EXPECT_THAT(done.effects(), SizeIs(3));
  EXPECT_THAT(asked_, ElementsAre(1, 2, 3));
  ASSERT_THAT(done.progress, SizeIs(4));
  for (int i = 0; i <= 3; ++i) {
    EXPECT_EQ(done.progress[static_cast<std::size_t>(i)].done, i);
    EXPECT_EQ(done.progress[static_cast<std::size_t>(i)].total, 3);
  }
}

TEST_F(pages_trial, pages_run_side_by_side_up_to_the_limit) {
  options_ = {20, 4, 1};
  slow_ = true;
  EXPECT_TRUE(run().succeeded());
  EXPECT_EQ(most_, 4);
  EXPECT_THAT(asked_, SizeIs(20));
}

TEST_F(pages_trial, a_page_that_fails_is_tried_again) {
  int left = 2;
  trouble_ = [&](int page) {
    if (page == 2 && left-- > 0) throw std::runtime_error("smudged");
  };
  EXPECT_TRUE(run().succeeded());
  EXPECT_THAT(asked_, ElementsAre(1, 2, 2, 2, 3));
}

TEST_F(pages_trial, a_page_that_fails_after_its_tries_is_reported_and_the_others_go_on) {
  trouble_ = [](int page) {
    if (page == 2) throw std::runtime_error("smudged");
  };
  const auto done = run();
  EXPECT_TRUE(done.failed());
  ASSERT_THAT(failures_, SizeIs(1));
  EXPECT_EQ(failures_[0].page, 2);
  EXPECT_EQ(failures_[0].error, "smudged");
  EXPECT_THAT(asked_, ElementsAre(1, 2, 2, 2, 3));
  EXPECT_THAT(names(done),
              ElementsAre("page-0001", StartsWith("page-0002-failed-1-"), "page-0003"));
  EXPECT_EQ(done.progress.back().done, 2);
}

TEST_F(pages_trial, a_final_failure_is_not_tried_again) {
  trouble_ = [](int page) {
    if (page == 2) throw providers::provider_error("no such page", true);
  };
  run();
  EXPECT_THAT(asked_, ElementsAre(1, 2, 3));
}

TEST_F(pages_trial, the_time_that_the_other_side_asks_for_is_waited_for) {
  int left = 1;
  trouble_ = [&](int page) {
    if (page == 1 && left-- > 0) throw providers::provider_error("busy", false, 34s);
  };
  const auto before = document_.now;
  EXPECT_TRUE(run().succeeded());
  EXPECT_EQ(document_.now - before, 34s);
}

TEST_F(pages_trial, an_outage_of_half_a_minute_costs_no_page) {
  options_.tries = page_options().tries;
  const auto over = document_.now + 30s;
  trouble_ = [&](int) {
    if (document_.now < over) throw providers::provider_error("no answer");
  };
  EXPECT_TRUE(run().succeeded());
  EXPECT_THAT(failures_, IsEmpty());
}

TEST_F(pages_trial, the_next_attempt_runs_only_the_missing_pages_and_progress_does_not_fall) {
  trouble_ = [](int page) {
    if (page == 2) throw providers::provider_error("smudged", true);
  };
  EXPECT_TRUE(run().failed());
  trouble_ = {};
  asked_.clear();
  const auto second = run();
  EXPECT_TRUE(second.succeeded());
  EXPECT_THAT(asked_, ElementsAre(2));
  EXPECT_EQ(second.progress.front().done, 2);
  EXPECT_EQ(second.progress.back().done, 3);
}

TEST_F(pages_trial, a_page_that_fails_in_two_attempts_is_written_both_times) {
  trouble_ = [](int page) {
    if (page == 2) throw providers::provider_error("smudged", true);
  };
  run();
  const auto second = run();
  ASSERT_THAT(second.steps, SizeIs(1));
  EXPECT_THAT(second.steps[0].name, StartsWith("page-0002-failed-2-"));
  EXPECT_EQ(second.steps[0].effects.at(0).params.at(1), "smudged");
}

TEST_F(pages_trial, a_step_that_the_database_refuses_is_that_pages_failure) {
  options_.tries = 1;
  // Three questions whether a page is stored, the progress, then page 1.
  document_.fail_at(5, "step page-0001 was refused by the database");
  const auto done = run();
  EXPECT_TRUE(done.failed());
  ASSERT_THAT(failures_, SizeIs(1));
  EXPECT_EQ(failures_[0].page, 1);
  EXPECT_THAT(failures_[0].error, HasSubstr("refused"));
  EXPECT_THAT(asked_, ElementsAre(1, 2, 3));
}

TEST_F(pages_trial, a_stop_at_any_await_ends_all_and_loses_no_stored_page) {
  options_ = {4, 2, 2};
  slow_ = true;
  int most = 0;
  {
    testing::trial whole;
    std::swap(whole, document_);
    most = run().awaits;
  }
  ASSERT_GT(most, 8);
  for (int at = 1; at <= most; ++at) {
    document_ = {};
    asked_.clear();
    document_.stop_at(at);
    const auto stopped = run();
    EXPECT_TRUE(stopped.stopped) << at << ": " << stopped.error;
    EXPECT_THAT(failures_, IsEmpty()) << at;
    const auto stored = document_.stored.size();
    asked_.clear();
    EXPECT_TRUE(run().succeeded()) << at;
    EXPECT_EQ(asked_.size(), 4 - stored) << at;
    EXPECT_EQ(running_, 0) << at;
  }
}

TEST_F(pages_trial, pages_that_run_are_cancelled_by_a_stop) {
  options_ = {8, 4, 1};
  slow_ = true;
  // The progress that the first page reports, while three others run.
  document_.stop_at(8 + 1 + 4 + 1);
  EXPECT_TRUE(run().stopped);
  EXPECT_EQ(running_, 0);
  EXPECT_THAT(document_.stored.size(), ::testing::Le(4u));
}

TEST_F(pages_trial, a_service_that_takes_no_calls_ends_the_attempt_and_is_no_failure_of_a_page) {
  trouble_ = [](int page) {
    if (page == 2) throw providers::service_busy("no calls for now", 90s);
  };
  EXPECT_FALSE(run().returned);
  EXPECT_THAT(failures_, IsEmpty());
  EXPECT_THAT(document_.stored, SizeIs(1));
  EXPECT_THAT(asked_, ElementsAre(1, 2)) << "no page is tried again";
}

TEST_F(pages_trial, no_pages_are_no_work) {
  options_.total = 0;
  EXPECT_TRUE(run().succeeded());
  EXPECT_THAT(asked_, IsEmpty());
}

TEST(page_retry, waits_grow_and_end) {
  const failed_try plain{"x", false, std::nullopt};
  EXPECT_EQ(pause_before_next_try(plain, 1, 3), 1s);
  EXPECT_EQ(pause_before_next_try(plain, 2, 3), 3s);
  EXPECT_EQ(pause_before_next_try(plain, 3, 3), std::nullopt);
  EXPECT_EQ(pause_before_next_try(plain, 30, 99), 60s);
  EXPECT_EQ(pause_before_next_try({"x", true, 1s}, 1, 3), std::nullopt);
  EXPECT_EQ(pause_before_next_try({"x", false, 10s}, 1, 3), 10s);
  EXPECT_EQ(pause_before_next_try({"x", false, 100ms}, 1, 3), 1s);
  EXPECT_EQ(pause_before_next_try({"x", false, 500s}, 1, 3), 500s) << "the page is not given up";
  EXPECT_EQ(pause_before_next_try({"x", false, 3600s}, 1, 3), 600s);
}

TEST(page_retry, a_step_has_the_number_of_its_page) {
  EXPECT_EQ(page_step(1), "page-0001");
  EXPECT_EQ(page_step(12345), "page-12345");
}

}  // namespace
}  // namespace rowrunner::pages
