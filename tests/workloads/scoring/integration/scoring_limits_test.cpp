// Limits and budgets over several workers.
#include <condition_variable>
#include <nlohmann/json.hpp>

#include "workloads/scoring/support/scoring_fixture.hpp"

namespace rowrunner::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

/// Makes calls wait until the test lets them go.
class open_calls {
 public:
  /// Of a call: it has come, and waits.
  void wait(int for_calls = 1'000'000) {
    std::unique_lock lock(mutex_);
    ++come_;
    changed_.notify_all();
    changed_.wait_for(lock, std::chrono::seconds(60), [&] { return open_ || come_ >= for_calls; });
  }
  bool came(int calls) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::seconds(60), [&] { return come_ >= calls; });
  }
  void let_go() {
    const std::scoped_lock lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int come_ = 0;
  bool open_ = false;
};

class scoring_limits : public scoring_fixture {
 protected:
  ~scoring_limits() override { calls_.let_go(); }

  void write_mood() const {
    write("categories.json", R"([{"name": "mood", "categories": ["calm"]}])");
  }
  std::unique_ptr<child_process> chunk_worker() const {
    return start({"worker", "--kind", "scoring_chunk:1", "--kind", "scoring_run", "--lease", "2"});
  }
  std::string spent() { return db.value("SELECT calls FROM scoring_budgets"); }

  open_calls calls_;
};

TEST_F(scoring_limits, workers_share_the_rate_of_a_model) {
  write_mood();
  std::string sheet = "utterance,n\n";
  // Two chunks, of which 40 rows each have something to ask.
  for (int row = 1; row <= 540; ++row) {
    const bool asks = row <= 40 || row > 500;
    sheet += (asks ? "say " + std::to_string(row) : "") + "," + std::to_string(row) + "\n";
  }
  write("sheet.csv", sheet);
  auto slow = env();
  slow[model.openai_limit()] = "requests=20/s";
  std::vector<std::unique_ptr<child_process>> workers;
  for (int i = 0; i < 2; ++i) {
    workers.push_back(std::make_unique<child_process>(
        std::vector<std::string>{rowrunner_binary(), "worker", "--kind", "scoring_chunk:1",
                                 "--kind", "scoring_run"},
        slow, folder));
  }
  const auto done = ask_model({"--name", "r", "--no-worker", "--concurrency", "20"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const auto log = model.log();
  ASSERT_EQ(log.size(), 80u);
  EXPECT_GE(log.back().when - log.front().when, std::chrono::milliseconds(2'500));
  const auto status = json::parse(run({"show", "r", "--json"}).out);
  EXPECT_THAT(status["limit_key"].get<std::string>(), HasSubstr("openai:gpt-test@127.0.0.1:"));
}

TEST_F(scoring_limits, a_budget_holds_with_two_hundred_calls_of_three_workers_under_way) {
  write_mood();
  write_sheet(1'100);
  model.answer_with([this](http_exchange&, const model_stand_in::question&) {
    calls_.wait(200);
    return false;
  });
  std::vector<std::unique_ptr<child_process>> workers;
  for (int i = 0; i < 3; ++i) workers.push_back(chunk_worker());
  const auto stopped =
      ask_model({"--name", "r", "--no-worker", "--concurrency", "100", "--max-calls", "300"});
  EXPECT_EQ(stopped.exit_code, 1) << stopped.out;
  EXPECT_THAT(stopped.err, HasSubstr("the budget of the run is used up"));
  EXPECT_TRUE(calls_.came(200));
  EXPECT_EQ(model.all_asked(), 300);
  EXPECT_EQ(spent(), "300");
  EXPECT_EQ(db.value("SELECT reserved_calls FROM scoring_budgets"), "0");
}

TEST_F(scoring_limits, calls_of_a_killed_worker_stay_spent_and_hold_up_no_other) {
  write_mood();
  write_sheet(30);
  model.answer_with([this](http_exchange&, const model_stand_in::question&) {
    calls_.wait();
    return false;
  });
  ASSERT_EQ(
      ask_model({"--name", "r", "--detach", "--concurrency", "8", "--max-calls", "20"}).exit_code,
      0);
  {
    const auto worker = chunk_worker();
    ASSERT_TRUE(calls_.came(8));
    worker->kill(SIGKILL);
    worker->wait();
  }
  EXPECT_EQ(db.value("SELECT reserved_calls FROM scoring_budgets"), "8");
  calls_.let_go();
  // Its time is over.
  db.exec("UPDATE scoring_budgets SET reserved_until = now()");
  const auto stopped = run({"wait", "r"}, {{"LEASE_SECONDS", "1"}});
  EXPECT_EQ(stopped.exit_code, 1);
  EXPECT_THAT(stopped.err, HasSubstr("the budget of the run is used up"));
  EXPECT_LE(model.all_asked(), 20);
  EXPECT_EQ(spent(), "20");
}

TEST_F(scoring_limits, a_worker_waits_for_what_another_one_may_give_back) {
  write_sheet(2);
  const auto made = ask_model({"--name", "r", "--detach", "--max-calls", "4"});
  ASSERT_EQ(made.exit_code, 0) << made.err;
  // Another worker has all of it, and uses nothing in the end.
  db.exec(
      "UPDATE scoring_budgets SET calls = 4, reserved_calls = 4,"
      " reserved_until = now() + interval '1 hour'");
  const auto worker = chunk_worker();
  ASSERT_TRUE(db.becomes("SELECT limit_key IS NOT NULL FROM scoring_chunk_counts", "t"));
  db.watch("scoring_chunk_jobs");
  EXPECT_FALSE(
      db.becomes("SELECT status FROM scoring_chunk_jobs", "failed", std::chrono::seconds(2)));
  db.exec("UPDATE scoring_budgets SET calls = 0, reserved_calls = 0");
  EXPECT_TRUE(db.becomes("SELECT status FROM scoring_chunk_jobs", "succeeded"));
  EXPECT_EQ(model.all_asked(), 4);
}

/// Answers that say nothing of what they have cost.
void answer_without_usage(http_exchange& to, const model_stand_in::question& asked) {
  const json body{
      {"choices", json::array({{{"finish_reason", "stop"},
                                {"message", {{"content", model_stand_in::scores_text(asked)}}}}})}};
  to.answer(200, body.dump(), {{"Content-Type", "application/json"}});
}

TEST_F(scoring_limits, an_answer_that_does_not_say_its_usage_costs_what_was_reserved) {
  write_sheet(20);
  model.answer_with([](http_exchange& to, const model_stand_in::question& asked) {
    if (asked.block == "topic") {
      to.answer(200, "<html>");
    } else {
      answer_without_usage(to, asked);
    }
    return true;
  });
  const auto stopped = ask_model({"--name", "r", "--max-cost", "0.5", "--max-retries", "100"});
  EXPECT_EQ(stopped.exit_code, 1) << stopped.out;
  EXPECT_THAT(stopped.err, HasSubstr("the budget of the run is used up"));
  EXPECT_EQ(db.value("SELECT cost <= max_cost AND cost > 0.4 FROM scoring_budgets"), "t");
  // About 0.04 each: 100 for a token of the answer, 10 for a byte of the question, a million.
  EXPECT_LE(model.all_asked(), 14);
  const auto status = json::parse(run({"show", "r", "--json"}).out);
  EXPECT_EQ(status["calls"], model.all_asked());
  EXPECT_EQ(db.value("SELECT abs(sum(c.cost) - max(b.cost)) < 1e-6 FROM scoring_chunk_counts c,"
                     " scoring_budgets b"),
            "t");
}

TEST_F(scoring_limits, a_budget_of_cost_without_prices_is_refused) {
  write_sheet(2);
  const process_environment free{{"SCORING_PRICE_IN", std::nullopt},
                                 {"SCORING_PRICE_OUT", std::nullopt}};
  const std::vector<std::string> words{"run",
                                       "--sheet",
                                       "sheet.csv",
                                       "--categories",
                                       "categories.json",
                                       "--out",
                                       "out.csv",
                                       "--provider",
                                       "openai",
                                       "--model",
                                       "gpt-test",
                                       "--max-cost",
                                       "1",
                                       "--chunk-retry-limit",
                                       "1",
                                       "--name",
                                       "r"};
  const auto refused = run(words, free);
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.err, HasSubstr("max_cost limits nothing without prices"));
  EXPECT_EQ(db.value("SELECT count(*) FROM scoring_runs"), "0");
  // Made with prices, and run by a worker that has none.
  auto made = words;
  made.push_back("--detach");
  ASSERT_EQ(run(made).exit_code, 0);
  const auto failed = run({"wait", "r"}, free);
  EXPECT_THAT(failed.err, HasSubstr("max_cost limits nothing without prices"));
  EXPECT_EQ(model.all_asked(), 0);
}

TEST_F(scoring_limits, what_stopped_tasks_had_cost_is_counted) {
  write_sheet(30);
  model.answer_with([](http_exchange& to, const model_stand_in::question&) {
    model_stand_in::answer_text(to, "no");
    return true;
  });
  const auto stopped = ask_model({"--name", "r", "--max-calls", "25", "--max-retries", "100"});
  EXPECT_EQ(stopped.exit_code, 1);
  EXPECT_EQ(model.all_asked(), 25);
  const auto status = json::parse(run({"show", "r", "--json"}).out);
  EXPECT_EQ(status["calls"], 25);
  EXPECT_EQ(status["processed_blocks"], 0);
}

}  // namespace
}  // namespace rowrunner::testing
