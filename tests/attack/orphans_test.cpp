// Nothing stays behind of jobs, tables and kinds that are gone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/job_table.hpp"
#include "support/jobs.hpp"
#include "support/paths.hpp"
#include "support/process.hpp"
#include "support/worker_thread.hpp"

namespace rowrunner::testing {
namespace {

using ::testing::HasSubstr;

class orphans : public ::testing::Test {
 protected:
  orphans() {
    create_my_jobs(db_);
    db_.exec(attach_mine);
  }

  // A job with a row in each of the engine's tables, and one that waits for its time.
  void fill() {
    db_.exec("INSERT INTO my_jobs (name, run_at) VALUES ('later', now() + interval '1 year')");
    db_.exec("INSERT INTO my_jobs (name, status) VALUES ('a', 'failed'), ('b', 'queued')");
    for (const std::string table :
         {"steps (kind, job_id, step, result) SELECT k.id, j.id, 's', '1'",
          "progress (kind, job_id, done, total, message)"
          " SELECT k.id, j.id, 1, 2, ''",
          "attempts (kind, job_id, attempt, error) SELECT k.id, j.id, 1, ''"}) {
      db_.exec("INSERT INTO rowrunner." + table +
               " FROM my_jobs j, rowrunner.kinds k WHERE j.name = 'a' AND k.kind = 'mine'");
    }
    EXPECT_EQ(kept(), "queue:1 delayed:1 failures:1 steps:1 progress:1 attempts:1");
  }
  std::string kept() {
    std::string out;
    for (const std::string table :
         {"queue", "delayed", "failures", "steps", "progress", "attempts"}) {
      const auto rows = db_.value("SELECT count(*) FROM rowrunner." + table);
      if (rows != "0") out += (out.empty() ? "" : " ") + table + ":" + rows;
    }
    return out;
  }
  std::string relations_of_kind() {
    return db_.value(
        "SELECT count(*) FROM pg_class WHERE relname IN ('wakeup_mine', 'reached_mine')");
  }

  watched_database db_;
};

TEST_F(orphans, none_after_truncate) {
  fill();
  db_.exec("TRUNCATE my_jobs");
  EXPECT_EQ(kept(), "");
}

TEST_F(orphans, none_after_detach) {
  fill();
  db_.exec("SELECT rowrunner.detach('mine')");
  EXPECT_EQ(kept(), "");
  EXPECT_EQ(relations_of_kind(), "0");
}

TEST_F(orphans, none_after_a_delayed_job_is_deleted) {
  fill();
  db_.exec("DELETE FROM my_jobs");
  EXPECT_EQ(kept(), "queue:1");  // until a claim or a sweep comes by
  db_.exec("SELECT rowrunner.sweep()");
  EXPECT_EQ(kept(), "");
}

TEST_F(orphans, a_job_that_is_never_due_has_no_entry) {
  db_.exec("INSERT INTO my_jobs (name, run_at) VALUES ('never', 'infinity')");
  EXPECT_EQ(kept(), "");
  db_.exec("UPDATE my_jobs SET run_at = now() + interval '1 hour'");
  EXPECT_EQ(kept(), "delayed:1");
  db_.exec("UPDATE my_jobs SET run_at = 'infinity'");
  db_.exec("SELECT rowrunner.sweep()");
  EXPECT_EQ(kept(), "");
  db_.exec("UPDATE my_jobs SET run_at = now()");
  EXPECT_EQ(db_.value("SELECT rowrunner.claim('mine', 'w')->>'name'"), "never");
}

TEST_F(orphans, a_sweep_removes_what_no_trigger_saw) {
  fill();
  db_.exec(
      "ALTER TABLE my_jobs DISABLE TRIGGER ALL; DELETE FROM my_jobs;"
      " ALTER TABLE my_jobs ENABLE TRIGGER ALL");
  EXPECT_EQ(
      db_.value("SELECT removed || ' ' || coalesce(next_page::text, 'end') FROM rowrunner.sweep()"),
      "6 end");
  EXPECT_EQ(kept(), "");
}

TEST_F(orphans, a_sweep_goes_page_by_page_and_leaves_what_is_needed) {
  fill();
  db_.exec("INSERT INTO my_jobs (name) SELECT n::text FROM generate_series(1, 1000) n");
  db_.exec("DELETE FROM my_jobs WHERE name BETWEEN '5' AND '6'");
  db_.exec("UPDATE my_jobs SET run_at = now() + interval '2 years' WHERE name = 'later'");
  std::string page = "0";
  int calls = 0;
  while (!page.empty()) {
    page = db_.value("SELECT next_page FROM rowrunner.sweep(" + page + ", 2)");
    ++calls;
  }
  EXPECT_GT(calls, 1);
  EXPECT_EQ(lost_jobs(db_, "my_jobs"), "0 0");
  EXPECT_EQ(kept(), "queue:" +
                        db_.value("SELECT count(*) FROM my_jobs WHERE status = 'queued'"
                                  " AND run_at <= now()") +
                        " delayed:1 failures:1 steps:1 progress:1 attempts:1");
}

TEST_F(orphans, a_sweep_leaves_out_a_kind_whose_table_is_locked) {
  fill();
  insert_job(db_, "gone");
  db_.exec("DELETE FROM letter_jobs");
  pqxx::connection other(db_.url());
  pqxx::work tx(other);
  tx.exec("LOCK TABLE my_jobs");
  EXPECT_EQ(db_.value("SELECT removed FROM rowrunner.sweep()"), "1");
}

TEST_F(orphans, a_dropped_table_can_be_detached) {
  fill();
  db_.exec("SELECT rowrunner.claim('mine', 'w')");
  db_.exec("DROP TABLE my_jobs");
  db_.exec("SELECT rowrunner.detach('mine')");
  EXPECT_EQ(kept(), "");
  EXPECT_EQ(relations_of_kind(), "0");
  EXPECT_EQ(db_.value("SELECT count(*) FROM rowrunner.leases"), "0");
  EXPECT_EQ(db_.value("SELECT count(*) FROM rowrunner.kinds WHERE kind = 'mine'"), "0");
}

TEST_F(orphans, a_new_table_takes_the_place_of_a_dropped_one) {
  fill();
  db_.exec("DROP TABLE my_jobs");
  db_.exec("CREATE TABLE my_jobs (" + job_columns() + ")");
  db_.exec("INSERT INTO my_jobs (name) VALUES ('new')");
  db_.exec(attach_mine);
  EXPECT_EQ(kept(), "queue:1");
  EXPECT_EQ(db_.value("SELECT rowrunner.claim('mine', 'w')->>'name'"), "new");
}

TEST_F(orphans, a_sweep_forgets_the_jobs_of_a_dropped_table) {
  fill();
  db_.exec("DROP TABLE my_jobs");
  db_.exec("SELECT rowrunner.sweep()");
  EXPECT_EQ(kept(), "");
}

TEST_F(orphans, commands_and_workers_name_a_dropped_table_and_go_on) {
  fill();
  db_.exec("DROP TABLE my_jobs");
  const auto run = [this](const std::vector<std::string>& arguments) {
    std::vector<std::string> argv{rowrunner_binary()};
    argv.insert(argv.end(), arguments.begin(), arguments.end());
    return run_process(argv, {{"DATABASE_URL", db_.url()}});
  };
  EXPECT_THAT(run({"kinds", "list"}).out, ::testing::ContainsRegex("mine +\\(dropped\\)"));
  for (const char* command : {"stats", "jobs"}) {
    const auto result =
        run(command == std::string{"jobs"} ? std::vector<std::string>{"jobs", "list"}
                                           : std::vector<std::string>{command});
    EXPECT_EQ(result.exit_code, 0) << result.err;
  }
  auto options = worker_thread::options_for(db_);
  options.drain = true;
  kind_options mine;
  mine.kind = "mine";
  worker_thread one(options, [&](worker& w) { w.add(mine, run_test_job); });
  try {
    one.join();
    ADD_FAILURE() << "a worker of a dropped table ran";
  } catch (const std::exception& error) {
    EXPECT_THAT(error.what(),
                ::testing::MatchesRegex("the table of kind mine .OID [0-9]+. was dropped: "
                                        "SELECT rowrunner.detach.'mine'."));
  }
}

}  // namespace
}  // namespace rowrunner::testing
