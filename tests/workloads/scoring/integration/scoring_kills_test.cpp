// Killed at any stage, a run is as if nothing had happened; what was checkpointed is not asked for
// again, and no more calls are repeated than were open.
#include <atomic>
#include <set>

#include "workloads/scoring/support/scoring_fixture.hpp"

namespace rowrunner::testing {
namespace {

class scoring_kills : public scoring_fixture {
 protected:
  using keys = std::set<std::pair<std::string, std::string>>;

  static constexpr int rows = 120, concurrency = 10, blocks = 2 * rows;

  scoring_kills() {
    write_sheet(rows);
    model.answer_with([this](http_exchange&, const model_stand_in::question&) {
      std::this_thread::sleep_for(std::chrono::milliseconds(answer_ms_));
      return false;
    });
    // Blocks flushes while the test has the advisory lock 1.
    db.exec(
        "CREATE FUNCTION pause() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN"
        "  PERFORM pg_catalog.pg_advisory_xact_lock_shared(1); RETURN NULL; END$$;"
        "CREATE TRIGGER pause AFTER INSERT ON scoring_scores FOR EACH STATEMENT"
        " EXECUTE FUNCTION pause()");
  }

  void make() {
    const auto made = ask_model({"--name", "r", "--detach", "--concurrency",
                                 std::to_string(concurrency), "--flush-batch-size", "10"});
    ASSERT_EQ(made.exit_code, 0) << made.err;
    db.watch("scoring_scores");
    db.watch("scoring_chunk_jobs");
  }
  std::unique_ptr<child_process> worker() const {
    return start({"worker", "--kind", "scoring_chunk", "--kind", "scoring_run", "--lease", "1"});
  }
  bool scored(int at_least) {
    return db.becomes("SELECT count(*) >= " + std::to_string(at_least) + " FROM scoring_scores",
                      "t");
  }
  /// Some statement waits for a lock.
  bool blocked() {
    return db.becomes(
        "SELECT count(*) > 0 FROM pg_locks WHERE NOT granted"
        " AND pid IN (SELECT pid FROM pg_stat_activity"
        "             WHERE datname = current_database())",
        "t");
  }

  /// Kills it, and notes what must not be asked for from now on.
  void kill(child_process& victim) {
    victim.kill(SIGKILL);
    victim.wait();
    keys done;
    const auto list = db.value(
        "SELECT coalesce(string_agg(row_index || ':' || block_index, ','), '') FROM "
        "scoring_scores");
    for (std::size_t at = 0; at < list.size();) {
      const auto end = std::min(list.find(',', at), list.size());
      const auto part = list.substr(at, end - at);
      const auto colon = part.find(':');
      done.emplace("say " + part.substr(0, colon), part[colon + 1] == '0' ? "mood" : "topic");
      at = end + 1;
    }
    kills_.push_back({model.log().size(), std::move(done)});
  }

  void expect_undisturbed() {
    const auto ended = run({"wait", "r", "--out", "out.csv"}, {{"LEASE_SECONDS", "1"}});
    ASSERT_EQ(ended.exit_code, 0) << ended.err;
    EXPECT_EQ(read("out.csv"), expected(rows));
    const auto log = model.log();
    for (const auto& each : kills_) {
      for (auto i = each.calls; i < log.size(); ++i) {
        EXPECT_FALSE(each.checkpointed.contains({log[i].utterance, log[i].block}))
            << log[i].utterance << " was asked again";
      }
    }
    EXPECT_LE(log.size() - asked_in(log, log.size()).size(), open_calls(log));
    EXPECT_EQ(db.value("SELECT count(*) FROM scoring_scores"), std::to_string(blocks));
    EXPECT_EQ(db.value("SELECT sum(processed_rows) FROM scoring_chunk_counts"),
              std::to_string(rows));
  }

  std::atomic<int> answer_ms_ = 10;

 private:
  static keys asked_in(const std::vector<model_stand_in::logged>& log, std::size_t calls) {
    keys out;
    for (std::size_t i = 0; i < calls; ++i) out.emplace(log[i].utterance, log[i].block);
    return out;
  }
  /// Asked and not checkpointed at the kills: these may be asked once more.
  std::size_t open_calls(const std::vector<model_stand_in::logged>& log) const {
    std::size_t out = 0;
    for (const auto& each : kills_) {
      std::size_t open = 0;
      for (const auto& key : asked_in(log, each.calls))
        open += each.checkpointed.contains(key) ? 0 : 1;
      // Under way, checked, waiting for the writer, and in its flushes.
      EXPECT_LE(open, concurrency + 2u * concurrency + 100u + 2 * 10u);
      out += open;
    }
    return out;
  }

  struct kill_point {
    std::size_t calls;
    keys checkpointed;
  };
  std::vector<kill_point> kills_;
};

TEST_F(scoring_kills, output_is_that_of_an_undisturbed_run) {
  make();
  {
    const auto claims = worker();
    ASSERT_TRUE(db.becomes("SELECT status FROM scoring_chunk_jobs", "processing"));
    kill(*claims);
  }
  for (const int done : {30, 90}) {
    const auto calls = worker();
    ASSERT_TRUE(scored(done));
    kill(*calls);
  }
  {
    pqxx::connection other(db.url());
    const auto flushes = worker();
    ASSERT_TRUE(scored(130));
    pqxx::work hold(other);
    hold.exec("SELECT pg_advisory_xact_lock(1)");
    ASSERT_TRUE(blocked());
    kill(*flushes);
  }
  {
    const auto ends = worker();
    ASSERT_TRUE(scored(blocks));
    kill(*ends);
  }
  expect_undisturbed();
}

TEST_F(scoring_kills, an_import_that_is_killed_leaves_nothing) {
  pqxx::connection other(db.url());
  {
    pqxx::work hold(other);
    hold.exec("LOCK TABLE public.scoring_chunk_jobs IN SHARE MODE");
    const auto import =
        start({"scoring", "run", "--sheet", "sheet.csv", "--categories", "categories.json",
               "--provider", "openai", "--model", "gpt-test", "--name", "r", "--detach"});
    ASSERT_TRUE(blocked());
    import->kill(SIGKILL);
    import->wait();
  }
  ASSERT_TRUE(db.becomes("SELECT count(*) FROM pg_locks WHERE NOT granted", "0"));
  EXPECT_EQ(db.value("SELECT count(*) FROM scoring_runs"), "0");
  EXPECT_EQ(db.value("SELECT count(*) FROM scoring_rows"), "0");
  answer_ms_ = 0;
  make();
  expect_undisturbed();
}

TEST_F(scoring_kills, an_export_that_is_killed_leaves_the_old_file) {
  answer_ms_ = 0;
  make();
  expect_undisturbed();
  write("out.csv", "old");
  pqxx::connection other(db.url());
  {
    pqxx::work hold(other);
    hold.exec("LOCK TABLE public.scoring_rows IN ACCESS EXCLUSIVE MODE");
    const auto exporting = start({"scoring", "export", "r", "--out", "out.csv"});
    ASSERT_TRUE(blocked());
    exporting->kill(SIGKILL);
    exporting->wait();
  }
  EXPECT_EQ(read("out.csv"), "old");
  ASSERT_EQ(run({"export", "r", "--out", "out.csv"}).exit_code, 0);
  EXPECT_EQ(read("out.csv"), expected(rows));
}

}  // namespace
}  // namespace rowrunner::testing
