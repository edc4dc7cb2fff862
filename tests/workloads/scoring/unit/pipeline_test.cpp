// The stages of a chunk together, with a model and a database that do what the test says.
#include "workloads/scoring/pipeline/pipeline.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <deque>
#include <regex>
#include <rowrunner/testing.hpp>

#include "common/log.hpp"
#include "queries/scoring.hpp"
#include "workloads/scoring/budget.hpp"
#include "workloads/scoring/question_board.hpp"

namespace rowrunner::scoring {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

constexpr const char* good_answer = R"({"scores": {"calm": 0.5}})";

/// Rows with the utterances "1", "2", …; every question is new, every call granted.
class rows_database : public database {
 public:
  explicit rows_database(int rows) : rows_(rows) {}

  asio::awaitable<query_result> query(std::string sql, query_params params) override {
    query_result out;
    if (sql == queries::chunk_page.text) {
      const int last = std::stoi(params.at(1).value());
      for (int row = last + 1; row <= std::min(rows_, last + 100); ++row) {
        out.rows.push_back({std::to_string(row), std::to_string(row), "{}"});
      }
    } else if (sql == queries::questions_claim.text) {
      static const std::regex key("[0-9a-f]{64}");
      const auto& keys = params.at(0).value();
      for (std::sregex_iterator at(keys.begin(), keys.end(), key), end; at != end; ++at) {
        out.rows.push_back({at->str(), std::nullopt});
      }
    } else if (sql == queries::budget_reserve.text) {
      if (before_reserve) co_await before_reserve();
      const auto& costs = params.at(1).value();
      const auto count = 1 + std::count(costs.begin(), costs.end(), ',');
      out.rows.push_back({std::to_string(has_room() ? count : 0), "t"});
    } else if (sql == queries::budget_settle.text) {
      given_back.push_back(*params.at(1) + " calls, " + *params.at(2));
    }
    co_return out;
  }

  std::function<asio::awaitable<void>()> before_reserve;
  /// Otherwise there is room later.
  std::function<bool()> has_room = [] { return true; };
  std::vector<std::string> given_back;

 private:
  const int rows_;
};

class told_model : public model {
 public:
  std::string provider() const override { return "told"; }
  std::string name() const override { return "model"; }
  bool is_paid() const override { return true; }
  asio::awaitable<reply> ask(question wanted) override {
    asked.push_back(wanted.utterance);
    co_await asio::post(co_await asio::this_coro::executor, asio::use_awaitable);
    reply out;
    out.text = good_answer;
    if (answer) answer(wanted, out);
    co_return out;
  }

  std::function<void(const question&, reply&)> answer;
  std::vector<std::string> asked;
};

class scoring_pipeline : public ::testing::Test {
 protected:
  chunk_plan plan(int rows, int concurrency) const {
    chunk_plan out;
    out.run_id = "1";
    out.number = 1;
    out.row_start = 1;
    out.row_end = rows;
    out.config.concurrency = concurrency;
    out.blocks.push_back(std::make_shared<const block>(block{"mood", {{"calm"}}, 1}));
    return out;
  }

  /// Runs all stages; `look` sees the pipeline after each step of the program.
  testing::trial_run run(chunk_plan what, const std::shared_ptr<rows_database>& rows,
                         const std::function<void(pipeline&)>& look = {}) {
    const coroutine_handler handler = [&](job& self) -> asio::awaitable<outcome> {
      const auto executor = co_await asio::this_coro::executor;
      services engine(executor, rows, std::make_shared<const logger>(log_level::off));
      chunk_parts parts{engine, model_, std::make_shared<call_gate>(executor, 50), run_inline, 2};
      cache_settings short_lived;
      short_lived.marker_time = 3s;
      parts.questions = std::make_shared<question_board>(engine, short_lived, "me");
      if (budgeted_) parts.budget = std::make_shared<budget>(engine, "1");
      gate_ = parts.gate;
      const auto all = std::make_shared<pipeline>(self, std::move(what), std::move(parts));
      bool ended = false;
      if (look) asio::co_spawn(executor, watch(all, look, ended), asio::detached);
      co_await run_stages(all);
      ended = true;
      if (look) look(*all);
      report_ = all->report;
      co_await asio::post(executor, asio::use_awaitable);
      co_return succeeded{};
    };
    return testing::trial().run(handler);
  }
  static asio::awaitable<void> watch(std::shared_ptr<pipeline> all,
                                     std::function<void(pipeline&)> look, const bool& ended) {
    while (!ended) {
      look(*all);
      co_await asio::post(co_await asio::this_coro::executor, asio::use_awaitable);
    }
  }
  asio::awaitable<void> wait_for_429(bool wait) {
    while (wait && gate_->controller().reductions() == 0) {
      co_await asio::post(co_await asio::this_coro::executor, asio::use_awaitable);
    }
  }
  /// The sum of a parameter of all flushes, counted as in chunk_flushed.sql.
  static double sum(const testing::trial_run& of, std::size_t parameter) {
    double out = 0;
    for (const auto& each : of.effects()) {
      if (each.sql == queries::chunk_flushed.text) out += std::stod(*each.params.at(parameter - 1));
    }
    return out;
  }

  told_model model_;
  bool budgeted_ = false;
  std::shared_ptr<call_gate> gate_;
  chunk_report report_;
};

TEST_F(scoring_pipeline, keeps_the_documents_bounds_and_closes_in_order) {
  // Half of the answers cannot be used the first time, and come back.
  model_.answer = [times = std::map<std::string, int>()](const question& of, reply& out) mutable {
    if (std::stoi(of.utterance) % 2 == 0 && times[of.utterance]++ == 0) out.text = "no";
  };
  std::vector<std::string> closed;
  std::size_t most[3] = {};
  const auto note = [&](bool now, const char* name) {
    if (now && std::find(closed.begin(), closed.end(), name) == closed.end())
      closed.push_back(name);
  };
  const auto result = run(plan(300, 5), std::make_shared<rows_database>(300), [&](pipeline& all) {
    note(all.invoke.closed(), "invoke");
    note(all.validation.closed(), "validation");
    note(all.writer.closed(), "writer");
    most[0] = all.invoke.most();
    most[1] = all.validation.most();
    most[2] = all.writer.most();
  });
  ASSERT_TRUE(result.succeeded()) << result.error;
  EXPECT_THAT(closed, ElementsAre("invoke", "validation", "writer"));
  EXPECT_EQ(most[0], 10u);
  EXPECT_LE(most[1], 10u);
  EXPECT_LE(most[2], 100u);
  EXPECT_EQ(sum(result, 4), 300);
  EXPECT_EQ(sum(result, 7), 450);
}

TEST_F(scoring_pipeline, a_task_that_waits_holds_up_no_other) {
  model_.answer = [first = true](const question& of, reply& out) mutable {
    if (of.utterance != "1" || !std::exchange(first, false)) return;
    out.kind = reply_kind::retry;
    out.after = 300ms;
  };
  const auto result = run(plan(3, 1), std::make_shared<rows_database>(3));
  ASSERT_TRUE(result.succeeded()) << result.error;
  EXPECT_THAT(model_.asked, ElementsAre("1", "2", "3", "1"));
}

TEST_F(scoring_pipeline, what_a_dropped_task_has_cost_is_counted) {
  model_.answer = [times = 0](const question&, reply& out) mutable {
    out.text = "no";
    out.kind = ++times < 8 ? reply_kind::answered : reply_kind::key_dead;
  };
  const auto result = run(plan(4, 4), std::make_shared<rows_database>(4));
  ASSERT_TRUE(result.succeeded()) << result.error;
  EXPECT_EQ(report_.stopped, "no");
  // Those of the dead key cost nothing.
  EXPECT_EQ(sum(result, 7), 7);
  EXPECT_EQ(sum(result, 4), 0);
}

TEST_F(scoring_pipeline, a_call_counts_from_when_it_is_sent) {
  budgeted_ = true;
  const auto rows = std::make_shared<rows_database>(2);
  // The second call passes the gate, and waits for the budget until the first one got its 429.
  rows->before_reserve = [this, times = 0]() mutable { return wait_for_429(times++ > 0); };
  model_.answer = [times = 0](const question&, reply& out) mutable {
    if (times++ >= 2) return;
    out.kind = reply_kind::busy;
    out.after = 1ms;
  };
  const auto result = run(plan(2, 2), rows);
  ASSERT_TRUE(result.succeeded()) << result.error;
  EXPECT_EQ(gate_->controller().reductions(), 2);
}

TEST_F(scoring_pipeline, what_waits_for_the_budget_holds_no_place) {
  budgeted_ = true;
  const auto rows = std::make_shared<rows_database>(3);
  int reserved = 0;
  bool was_free = false;
  rows->has_room = [&] { return ++reserved > 3 && was_free; };
  const auto result = run(plan(3, 3), rows, [&](pipeline&) {
    was_free = was_free || (reserved > 0 && gate_->controller().in_flight() == 0);
  });
  ASSERT_TRUE(result.succeeded()) << result.error;
  EXPECT_TRUE(was_free);
  EXPECT_EQ(model_.asked.size(), 3u);
}

TEST_F(scoring_pipeline, what_waits_for_the_budget_ends_when_the_chunk_stops) {
  budgeted_ = true;
  const auto rows = std::make_shared<rows_database>(3);
  bool asked = false;
  rows->has_room = [&] {
    asked = true;
    return false;
  };
  const auto result = run(plan(3, 3), rows, [&](pipeline& all) {
    if (asked) all.stop("enough", true);
  });
  ASSERT_TRUE(result.succeeded()) << result.error;
  EXPECT_EQ(report_.stopped, "enough");
  EXPECT_TRUE(model_.asked.empty());
}

TEST(scoring_budget, a_call_that_was_never_sent_is_given_back) {
  const auto rows = std::make_shared<rows_database>(0);
  asio::io_context io;
  services engine(io.get_executor(), rows, std::make_shared<const logger>(log_level::off));
  const auto of = std::make_shared<budget>(engine, "1");
  of->reserved(2.5);
  io.poll();
  io.restart();
  {
    auto sent = of->reserved(2.5);
    sent.mark_sent();
  }
  io.poll();
  EXPECT_THAT(rows->given_back, ElementsAre("1 calls, 2.5", "0 calls, 0"));
}

TEST_F(scoring_pipeline, asks_nothing_while_the_key_is_known_to_be_dead) {
  model_.answer = [](const question&, reply& out) {
    out.kind = reply_kind::key_dead;
    out.text = "the key is dead";
  };
  const auto result = run(plan(50, 10), std::make_shared<rows_database>(50));
  ASSERT_TRUE(result.succeeded()) << result.error;
  EXPECT_LE(model_.asked.size(), 10u);
  EXPECT_EQ(gate_->dead_reason(call_gate::clock::now()), "the key is dead");
  EXPECT_EQ(gate_->dead_reason(call_gate::clock::now() + 31s), std::nullopt);
}

TEST(scoring_delayed_queue, gives_what_is_due_and_all_when_it_is_hurried) {
  asio::io_context io;
  delayed_queue<int> items(io.get_executor());
  std::vector<int> taken;
  const auto take = [&]() -> asio::awaitable<void> {
    while (const auto item = co_await items.pop()) taken.push_back(*item);
  };
  const auto now = wait_list::time_point::clock::now();
  items.put(3, now + 1h);
  items.put(2, now + 1min);
  items.put(1, now);
  asio::co_spawn(io, take(), asio::detached);
  io.poll();
  EXPECT_THAT(taken, ElementsAre(1));
  items.hurry();
  items.close();
  io.poll();
  EXPECT_THAT(taken, ElementsAre(1, 2, 3));
  EXPECT_EQ(io.run(), 0u);
}

}  // namespace
}  // namespace rowrunner::scoring
