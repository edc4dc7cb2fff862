// A trigger of one kind's table that hangs when a held job is fired: no other kind may wait for
// it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/two_kinds.hpp"

namespace rowrunner::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using namespace std::chrono_literals;

/// How the trap on other_jobs is set: it waits for a lock of the test and heeds no lock_timeout.
struct trap {
  const char* name;
  const char* trigger;
};

const trap traps[] = {
    {"before", "CREATE TRIGGER trap BEFORE UPDATE ON public.other_jobs"},
    {"after", "CREATE TRIGGER trap AFTER UPDATE ON public.other_jobs"},
    {"at_the_end",
     "CREATE CONSTRAINT TRIGGER trap AFTER UPDATE ON public.other_jobs DEFERRABLE INITIALLY"
     " DEFERRED"}};

class join_trouble : public ::testing::Test {
 protected:
  void set(const trap& where) {
    db.exec(
        "SELECT rowrunner.attach('public.test_jobs', kind => 'test', joins => true);"
        "CREATE FUNCTION public.trap() RETURNS trigger LANGUAGE plpgsql SET lock_timeout = 0 AS"
        " 'BEGIN PERFORM pg_advisory_xact_lock(4711); RETURN NEW; END';" +
        std::string(where.trigger) +
        " FOR EACH ROW WHEN (OLD.run_at = 'infinity') EXECUTE FUNCTION public.trap()");
    holds.exec("SELECT pg_advisory_xact_lock(4711)");
  }

  /// A job of this kind that waits for one which a worker ends.
  void add_join(const std::string& kind, const std::string& name) {
    const auto table = "public." + kind + "_jobs";
    db.exec("INSERT INTO public.test_jobs (name) VALUES ('before " + name + "'); INSERT INTO " +
            table + " (name) VALUES ('" + name + "'); SELECT rowrunner.run_after('" + kind +
            "', (SELECT id FROM " + table + " WHERE name = '" + name +
            "'), 'test', ARRAY(SELECT id FROM public.test_jobs WHERE name = 'before " + name +
            "'))");
  }
  bool someone_is_trapped() {
    return db.becomes(
        "SELECT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = 4711"
        " AND NOT granted)",
        "t");
  }

  two_kinds db;
  pqxx::connection application{db.url()};
  pqxx::work holds{application};
};

class join_trap : public join_trouble, public ::testing::WithParamInterface<trap> {};

INSTANTIATE_TEST_SUITE_P(attack, join_trap, ::testing::ValuesIn(traps),
                         [](const auto& each) { return std::string(each.param.name); });

TEST_P(join_trap, holds_up_the_joins_of_its_own_kind_only) {
  set(GetParam());
  log_lines log;
  worker_thread one(worker_thread::options_for(db), two_kinds::serve, log.target());
  add_join("other", "trapped");
  ASSERT_TRUE(someone_is_trapped());
  for (const std::string name : {"first", "second", "third"}) {
    add_join("test", name);
    EXPECT_TRUE(db.becomes("SELECT status FROM public.test_jobs WHERE name = '" + name + "'",
                           "succeeded", 10s));
  }
  EXPECT_EQ(db.value("SELECT run_at FROM public.other_jobs"), "infinity");
  holds.commit();
  EXPECT_TRUE(db.others_succeed(1));
  one.stop();
  EXPECT_EQ(log.count("jobs that waited for others cannot run yet"), 1) << log.text();
  EXPECT_THAT(log.text(), HasSubstr("kind=other"));
  EXPECT_THAT(log.text(), HasSubstr("canceling statement due to statement timeout"));
  EXPECT_THAT(db.violations(), IsEmpty());
}

TEST_F(join_trouble, a_question_that_the_server_refuses_stops_no_claim_and_no_drain) {
  db.exec("SELECT rowrunner.attach('public.test_jobs', kind => 'test', joins => true)");
  add_join("test", "child");
  db.exec("ALTER FUNCTION rowrunner.kinds_to_fire() RENAME TO gone");
  auto options = worker_thread::options_for(db);
  options.drain = true;
  log_lines log;
  EXPECT_EQ(worker_thread(options, two_kinds::serve, log.target()).join().succeeded, 1);
  EXPECT_THAT(log.text(), HasSubstr("kinds_to_fire() does not exist"));
  db.exec("ALTER FUNCTION rowrunner.gone() RENAME TO kinds_to_fire");
  EXPECT_EQ(worker_thread(options, two_kinds::serve).join().succeeded, 1);
}

TEST_F(join_trouble, a_drain_ends_beside_a_trigger_that_hangs_and_a_later_one_runs_the_job) {
  set(traps[0]);
  add_join("other", "trapped");
  add_join("test", "free");
  auto options = worker_thread::options_for(db);
  options.drain = true;
  EXPECT_EQ(worker_thread(options, two_kinds::serve).join().succeeded, 3);
  EXPECT_EQ(db.value("SELECT run_at FROM public.other_jobs"), "infinity");
  holds.commit();
  EXPECT_EQ(worker_thread(options, two_kinds::serve).join().succeeded, 1);
  EXPECT_THAT(db.violations(), IsEmpty());
}

}  // namespace
}  // namespace rowrunner::testing
