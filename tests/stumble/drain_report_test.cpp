// What a drain leaves undone is said, and what it ends is counted.

#include <gmock/gmock.h>

#include "support/command.hpp"
#include "support/two_kinds.hpp"

namespace rowrunner::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

worker_counts drain(two_kinds& db, log_lines& log) {
  auto options = worker_thread::options_for(db);
  options.drain = true;
  return worker_thread(options, two_kinds::serve, log.target()).join();
}

class drain_of_a_paused_kind : public ::testing::TestWithParam<const char*> {};

TEST_P(drain_of_a_paused_kind, says_that_it_left_its_jobs) {
  two_kinds db;
  db.exec("UPDATE rowrunner.kinds SET paused = true WHERE kind IN ('test', 'other')");
  db.exec(std::string("INSERT INTO public.test_jobs (name, run_at) VALUES ('a', ") + GetParam() +
          ")");
  log_lines log;
  EXPECT_EQ(drain(db, log).claimed, 0);
  EXPECT_EQ(log.count("jobs that are due were left behind"), 1) << log.text();
  EXPECT_EQ(log.count("kind=test reason=\"the kind is paused\""), 1) << log.text();
}

INSTANTIATE_TEST_SUITE_P(stumble, drain_of_a_paused_kind,
                         ::testing::Values("now()", "clock_timestamp() + interval '1 ms'"));

TEST(drain_report, does_not_count_jobs_of_a_paused_kind_that_are_not_due) {
  two_kinds db;
  db.exec("UPDATE rowrunner.kinds SET paused = true WHERE kind = 'test'");
  db.exec("INSERT INTO public.test_jobs (name, run_at) VALUES ('a', now() + interval '1 hour')");
  log_lines log;
  drain(db, log);
  EXPECT_EQ(log.count("left behind"), 0) << log.text();
}

/// What the counters of C++ workers say of one kind, as "rescued failed".
std::string counted(two_kinds& db) {
  return db.value(
      "SELECT sum(c.rescued) || ' ' || sum(c.failed) FROM rowrunner.counters c"
      " JOIN rowrunner.kinds k ON k.id = c.kind WHERE k.kind = 'test' AND c.worker <> 'lost'"
      " AND c.worker NOT LIKE 'lost#%'");
}

TEST(drain_report, a_job_that_a_rescue_ends_is_counted_as_failed) {
  two_kinds db;
  db.add("last try", "ok", 0, 0, 1);
  db.add("first try");
  db.exec("SELECT rowrunner.claim('test', 'lost', 2, '1 us')");
  log_lines log;
  const auto counts = drain(db, log);
  EXPECT_EQ(counts.rescued, 2);
  EXPECT_EQ(counts.failed, 1);
  EXPECT_EQ(counts.succeeded, 1);
  EXPECT_EQ(counted(db), "2 1");
}

TEST(drain_report, a_cancelled_job_that_a_rescue_ends_is_not_counted_as_failed) {
  two_kinds db;
  const auto id = db.add("a");
  // Its table calls it failed.
  db.exec("UPDATE rowrunner.kinds SET cancelled_status = 'failed' WHERE kind = 'test'");
  db.exec("SELECT rowrunner.claim('test', 'lost', 1, '1 us')");
  db.exec("SELECT rowrunner.cancel('test', '" + id + "')");
  log_lines log;
  const auto counts = drain(db, log);
  EXPECT_EQ(counts.failed, 0);
  EXPECT_EQ(counts.cancelled, 1);
  EXPECT_EQ(counted(db), "1 0");
  EXPECT_EQ(db.status("a"), "failed");
}

TEST(handler_flag, serves_only_what_it_names_and_the_log_says_so) {
  const jobs_database db;
  const auto done =
      command(db).run({"worker", "--drain", "--handler", "letter=noop", "--handler", "test=noop"});
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.out + done.err, HasSubstr("\"kinds\":\"letter, test\""));
  EXPECT_THAT(command(db).out({"worker", "--help"}),
              HasSubstr("With it, other kinds are served only if --kind names them"));
}

}  // namespace
}  // namespace rowrunner::testing
