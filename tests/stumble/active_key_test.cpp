// One job per key, which can be enqueued again when it has ended.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/jobs.hpp"
#include "support/paths.hpp"
#include "support/process.hpp"

namespace rowrunner::testing {
namespace {

class active_key : public ::testing::Test {
 protected:
  active_key() {
    const auto made = run_process({"psql", "-qv", "ON_ERROR_STOP=1", "-d", db_.url(), "-f",
                                   source_dir() + "/examples/own_table/thumbnails.sql"});
    EXPECT_EQ(made.exit_code, 0) << made.err;
  }

  void TearDown() override { EXPECT_EQ(lost_jobs(db_, "public.thumbnails"), "0 0"); }

  /// Claims the job and ends it by `function`, as in "succeed" or "fail".
  std::string run(const std::string& function, const std::string& more = "") {
    return db_.value("SELECT rowrunner." + function +
                     "('thumbnail', (c->>'id')::uuid, (c->>'lease')::bigint" + more +
                     ")::text FROM rowrunner.claim('thumbnail', 'w') c");
  }

  /// As an application does it, in one statement: says whether the key has a new run.
  std::string enqueue_by_conflict() {
    return db_.value(
        "INSERT INTO public.thumbnails AS t (picture) VALUES ('a.png')"
        " ON CONFLICT (picture) DO UPDATE SET status = 'queued', attempts = 0, run_at = now()"
        " WHERE t.status IN ('succeeded', 'failed', 'cancelled') RETURNING true");
  }

  /// As an application that may not UPDATE the table does it.
  std::string enqueue_by_function() {
    pqxx::work tx(db_.connection());
    tx.exec("SET LOCAL ROLE rowrunner_app");
    auto answer = tx.exec(
        "INSERT INTO public.thumbnails (picture) VALUES ('a.png')"
        " ON CONFLICT (picture) DO NOTHING RETURNING 't'");
    if (answer.empty()) {
      answer = tx.exec(
          "SELECT nullif(rowrunner.enqueue_again('thumbnail', id)::text, 'false')"
          " FROM public.thumbnails WHERE picture = 'a.png'");
    }
    const std::string said = answer[0][0].c_str();
    tx.exec("RESET ROLE");
    tx.commit();
    return said.substr(0, 1);
  }

  std::string status() { return db_.value("SELECT status FROM public.thumbnails"); }

  test_database db_;
};

TEST_F(active_key, is_enqueued_again_by_on_conflict) {
  EXPECT_EQ(enqueue_by_conflict(), "t");
  EXPECT_EQ(enqueue_by_conflict(), "");  // it waits
  EXPECT_EQ(run("succeed"), "true");
  EXPECT_EQ(enqueue_by_conflict(), "t");
  EXPECT_EQ(run("fail", ", 'no', final => true"), "failed");
  EXPECT_EQ(enqueue_by_conflict(), "t");
  EXPECT_EQ(db_.value("SELECT count(*) FROM rowrunner.failures"), "0");
  db_.exec("SELECT rowrunner.cancel('thumbnail', id) FROM public.thumbnails");
  EXPECT_EQ(enqueue_by_conflict(), "t");
  db_.exec("SELECT rowrunner.claim('thumbnail', 'w')");
  EXPECT_EQ(enqueue_by_conflict(), "");  // it runs
  EXPECT_EQ(status(), "processing");
  EXPECT_EQ(db_.value("SELECT count(*) FROM public.thumbnails"), "1");
}

TEST_F(active_key, is_enqueued_again_by_the_function) {
  EXPECT_EQ(enqueue_by_function(), "t");
  EXPECT_EQ(enqueue_by_function(), "");
  EXPECT_EQ(run("succeed"), "true");
  EXPECT_EQ(enqueue_by_function(), "t");
  EXPECT_EQ(run("fail", ", 'no', final => true"), "failed");
  EXPECT_EQ(enqueue_by_function(), "t");
  EXPECT_EQ(db_.value("SELECT attempts FROM public.thumbnails"), "0");
  db_.exec("SELECT rowrunner.claim('thumbnail', 'w')");
  EXPECT_EQ(enqueue_by_function(), "");
  EXPECT_EQ(db_.value("SELECT rowrunner.enqueue_again('thumbnail', rowrunner.new_id())"), "f");
}

TEST_F(active_key, waits_for_its_time_if_told) {
  EXPECT_EQ(enqueue_by_function(), "t");
  EXPECT_EQ(run("succeed"), "true");
  EXPECT_EQ(db_.value("SELECT rowrunner.enqueue_again('thumbnail', id, now() + interval '1 hour')"
                      " FROM public.thumbnails"),
            "t");
  EXPECT_EQ(db_.value("SELECT count(*) FROM rowrunner.claim('thumbnail', 'w')"), "0");
  EXPECT_EQ(db_.value("SELECT count(*) FROM rowrunner.delayed"), "1");
}

// What a run has stored belongs to that run. A failed job keeps its steps: its next run is a retry.
TEST_F(active_key, does_all_of_its_work_again) {
  for (const bool again : {false, true}) {
    if (again) {
      EXPECT_EQ(enqueue_by_conflict(), "t");
    } else {
      EXPECT_EQ(enqueue_by_function(), "t");
    }
    const auto lease = db_.value("SELECT rowrunner.claim('thumbnail', 'w') ->> 'lease'");
    EXPECT_EQ(db_.value("SELECT rowrunner.steps('thumbnail', id) FROM public.thumbnails"), "{}");
    EXPECT_EQ(db_.value("SELECT count(*) FROM rowrunner.progress"), "0");
    db_.exec("SELECT rowrunner.step('thumbnail', id, " + lease +
             ", 's'),"
             " rowrunner.progress('thumbnail', id, " +
             lease +
             ", 1, 1),"
             " rowrunner.succeed('thumbnail', id, " +
             lease + ") FROM public.thumbnails");
    EXPECT_EQ(db_.value("SELECT count(*) FROM rowrunner.steps"), "1");
  }
}

// The refusal names the way to do it.
TEST_F(active_key, is_not_a_partial_index) {
  db_.exec("SELECT rowrunner.detach('thumbnail')");
  db_.exec("CREATE UNIQUE INDEX ON public.thumbnails (picture) WHERE status = 'queued'");
  EXPECT_THAT(error_of(db_, "SELECT rowrunner.attach('public.thumbnails', kind => 'thumbnail')"),
              ::testing::HasSubstr("enqueue_again"));
  db_.exec("DROP INDEX public.thumbnails_picture_idx");
  db_.exec("SELECT rowrunner.attach('public.thumbnails', kind => 'thumbnail')");
}

}  // namespace
}  // namespace rowrunner::testing
