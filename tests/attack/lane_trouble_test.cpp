// What is wrong with one kind stays with that kind, is said, and does not make the worker spin.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/two_kinds.hpp"

namespace rowrunner::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using namespace std::chrono_literals;

/// The polls are a day apart, so that a drain which waits for one would not end.
worker_options draining(const test_database& db) {
  auto options = worker_thread::options_for(db);
  options.drain = true;
  options.poll_min = options.poll_max = std::chrono::hours{24};
  return options;
}

/// With the rights of a worker and no more: policies do not hold for a superuser.
worker_options as_worker_role(const test_database& db) {
  worker_options options;
  options.database_url = db.url() + (db.url().find('?') == std::string::npos ? "?" : "&") +
                         "options=-c%20role%3Drowrunner_worker";
  return options;
}

/// The transactions of the database's workers, once they have gone.
long transactions(jobs_database& db) {
  const auto here = " WHERE datname = current_database()";
  EXPECT_TRUE(db.becomes(std::string("SELECT count(*) FROM pg_stat_activity") + here +
                             " AND application_name LIKE 'rowrunner %'",
                         "0"));
  return std::stol(
      db.value(std::string("SELECT xact_commit + xact_rollback FROM pg_stat_database") + here));
}

/// What a worker that serves both kinds, and ends by itself after three seconds, spends.
long transactions_of_three_seconds(two_kinds& db, log_lines& log) {
  const auto before = transactions(db);
  auto options = worker_thread::options_for(db);
  options.max_time = 3s;
  worker_thread(options, two_kinds::serve, log.target()).join();
  return transactions(db) - before;
}

/// A dozen of polls, claims and heartbeats a second are plenty; a loop that spins makes thousands.
constexpr long plenty = 300;

void lose_a_job(two_kinds& db) {
  db.add("orphan");
  db.exec("SELECT rowrunner.claim('test', 'lost', 1, '1 us')");
}

TEST(lane_trouble, a_locked_orphan_does_not_make_the_worker_spin) {
  two_kinds db;
  lose_a_job(db);
  pqxx::connection other(db.url());
  pqxx::work tx(other);
  tx.exec("SELECT FROM test_jobs FOR UPDATE");
  log_lines log;
  EXPECT_LT(transactions_of_three_seconds(db, log), plenty);
  tx.commit();
}

TEST(lane_trouble, an_orphan_whose_rescue_fails_does_not_make_the_worker_spin) {
  two_kinds db;
  lose_a_job(db);
  db.exec(
      "CREATE FUNCTION public.refuse() RETURNS trigger LANGUAGE plpgsql AS"
      "  $$ BEGIN RAISE EXCEPTION 'not this one'; END $$;"
      "CREATE TRIGGER obstacle BEFORE UPDATE ON public.test_jobs FOR EACH ROW"
      "  EXECUTE FUNCTION public.refuse()");
  db.add_other(5);
  log_lines log;
  EXPECT_LT(transactions_of_three_seconds(db, log), plenty);
  EXPECT_LT(log.count("rescue failed"), 10) << log.text();
  EXPECT_TRUE(db.others_succeed(5));
}

TEST(lane_trouble, a_locked_queue_entry_does_not_make_the_worker_spin) {
  two_kinds db;
  db.add("a");
  pqxx::connection other(db.url());
  pqxx::work tx(other);
  tx.exec("SELECT FROM rowrunner.queue FOR UPDATE");
  log_lines log;
  EXPECT_LT(transactions_of_three_seconds(db, log), plenty);
  tx.commit();
}

TEST(lane_trouble, a_locked_delayed_job_does_not_make_the_worker_spin) {
  two_kinds db;
  db.exec("INSERT INTO test_jobs (name, run_at) VALUES ('a', now() + '1 hour')");
  db.exec("UPDATE rowrunner.delayed SET run_at = now()");
  pqxx::connection other(db.url());
  pqxx::work tx(other);
  tx.exec("SELECT FROM rowrunner.delayed FOR UPDATE");
  log_lines log;
  EXPECT_LT(transactions_of_three_seconds(db, log), plenty);
  tx.commit();
}

TEST(lane_trouble, a_locked_job_does_not_make_the_worker_spin_and_new_ones_run) {
  two_kinds db;
  db.add("held");
  pqxx::connection other(db.url());
  pqxx::work tx(other);
  tx.exec("SELECT FROM test_jobs FOR UPDATE");
  log_lines log;
  EXPECT_LT(transactions_of_three_seconds(db, log), plenty);
  worker_thread one(db);
  db.add("new");
  EXPECT_TRUE(db.reaches("new", "succeeded"));
  tx.commit();
  EXPECT_TRUE(db.reaches("held", "succeeded"));
}

struct lock {
  const char* name;
  const char* job;
  const char* statement;
};
void PrintTo(const lock& which, std::ostream* out) { *out << which.name; }

class drain_beside : public ::testing::TestWithParam<lock> {};

TEST_P(drain_beside, ends_and_says_what_it_left) {
  two_kinds db;
  db.exec(GetParam().job);
  db.add_other(5);
  pqxx::connection other(db.url());
  pqxx::work tx(other);
  tx.exec(GetParam().statement);
  log_lines log;
  EXPECT_EQ(worker_thread(draining(db), two_kinds::serve, log.target()).join().succeeded, 5);
  EXPECT_EQ(log.count("left behind"), 1) << log.text();
  EXPECT_THAT(log.text(), HasSubstr("kind=test"));
  tx.commit();
  EXPECT_EQ(worker_thread(draining(db), two_kinds::serve).join().succeeded, 1);
  EXPECT_THAT(db.violations(), IsEmpty());
}

constexpr const char* waiting = "INSERT INTO public.test_jobs (name) VALUES ('a')";
constexpr const char* lost =
    "INSERT INTO public.test_jobs (name) VALUES ('a');"
    "SELECT rowrunner.claim('test', 'lost', 1, '1 us')";
constexpr const char* due =
    "INSERT INTO public.test_jobs (name, run_at) VALUES ('a', now() + '1 hour');"
    "UPDATE public.test_jobs SET run_at = now() - interval '1 second';"
    "INSERT INTO rowrunner.delayed SELECT kind, now(), priority, job_id FROM rowrunner.queue;"
    "DELETE FROM rowrunner.queue; DELETE FROM rowrunner.delayed WHERE run_at > now()";

const lock locks[] = {{"a_locked_job", waiting, "SELECT FROM public.test_jobs FOR UPDATE"},
                      {"a_locked_lease", lost, "SELECT FROM rowrunner.leases FOR UPDATE"},
                      {"a_locked_queue_entry", waiting,
                       "SELECT FROM rowrunner.queue q JOIN rowrunner.kinds k ON k.id = q.kind"
                       " WHERE k.kind = 'test' FOR UPDATE OF q"},
                      {"a_locked_delayed_entry", due, "SELECT FROM rowrunner.delayed FOR UPDATE"}};

// A rescue puts off the lease of a locked job for a second, so that it is in no other one's way:
// the last poll of a drain sees no expired lease.
TEST(lane_trouble, a_drain_ends_beside_a_locked_orphan_and_a_later_one_runs_it) {
  two_kinds db;
  db.exec(lost);
  db.add_other(5);
  pqxx::connection other(db.url());
  pqxx::work tx(other);
  tx.exec("SELECT FROM public.test_jobs FOR UPDATE");
  log_lines log;
  EXPECT_EQ(worker_thread(draining(db), two_kinds::serve, log.target()).join().succeeded, 5);
  EXPECT_EQ(log.count("left behind"), 1) << log.text();
  EXPECT_THAT(log.text(), HasSubstr("jobs of lost workers, which other sessions have locked"));
  tx.commit();
  EXPECT_TRUE(db.becomes(
      "SELECT count(*) FROM rowrunner.leases WHERE expires_at < clock_timestamp()", "1"));
  log_lines later;
  EXPECT_EQ(worker_thread(draining(db), two_kinds::serve, later.target()).join().succeeded, 1);
  EXPECT_EQ(later.count("left behind"), 0) << later.text();
  EXPECT_THAT(db.violations(), IsEmpty());
}

// Of a lease with two jobs the free one is taken back, and the other one must not be forgotten.
TEST(lane_trouble, a_drain_names_the_locked_one_of_two_orphans) {
  two_kinds db;
  db.add("free");
  db.add("held");
  db.exec("SELECT rowrunner.claim('test', 'lost', 2, '1 us')");
  pqxx::connection other(db.url());
  pqxx::work tx(other);
  tx.exec("SELECT FROM public.test_jobs WHERE name = 'held' FOR UPDATE");
  log_lines log;
  EXPECT_EQ(worker_thread(draining(db), two_kinds::serve, log.target()).join().succeeded, 1);
  EXPECT_EQ(log.count("left behind"), 1) << log.text();
  tx.commit();
}

INSTANTIATE_TEST_SUITE_P(attack, drain_beside, ::testing::ValuesIn(locks),
                         [](const auto& each) { return std::string(each.param.name); });

TEST(lane_trouble, rows_behind_a_policy_keep_their_entries) {
  two_kinds db;
  db.add("hidden");
  db.add_other(5);
  db.exec("ALTER TABLE public.test_jobs ENABLE ROW LEVEL SECURITY");
  auto options = as_worker_role(db);
  options.drain = true;
  log_lines log;
  EXPECT_EQ(worker_thread(options, two_kinds::serve, log.target()).join().succeeded, 5);
  EXPECT_THAT(log.text(), HasSubstr("row-level security"));
  EXPECT_EQ(log.count("left behind"), 1) << log.text();
  EXPECT_THAT(db.violations(), IsEmpty());
  db.exec("ALTER TABLE public.test_jobs DISABLE ROW LEVEL SECURITY");
  EXPECT_EQ(worker_thread(options, two_kinds::serve).join().succeeded, 1);
}

TEST(lane_trouble, orphans_behind_a_policy_keep_their_leases) {
  two_kinds db;
  lose_a_job(db);
  db.exec("ALTER TABLE public.test_jobs ENABLE ROW LEVEL SECURITY");
  auto options = as_worker_role(db);
  options.drain = true;
  log_lines log;
  worker_thread(options, two_kinds::serve, log.target()).join();
  EXPECT_THAT(log.text(), HasSubstr("row-level security"));
  EXPECT_THAT(db.violations(), IsEmpty());
}

TEST(lane_trouble, a_table_that_was_renamed_and_made_anew_keeps_its_entries) {
  two_kinds db;
  worker_thread one(worker_thread::options_for(db), two_kinds::serve);
  db.add("first");
  ASSERT_TRUE(db.reaches("first", "succeeded"));
  db.exec(
      "ALTER TABLE public.test_jobs RENAME TO renamed;"
      "CREATE TABLE public.test_jobs (LIKE public.renamed INCLUDING ALL);"
      "INSERT INTO public.renamed (name) VALUES ('second')");
  db.add_other(5);
  EXPECT_TRUE(db.others_succeed(5));
  // Given up by a drain that began with the old name, too.
  EXPECT_EQ(db.value("SELECT count(*) FROM rowrunner.queue"), "1");
  db.exec("DROP TABLE public.test_jobs; ALTER TABLE public.renamed RENAME TO test_jobs");
  EXPECT_TRUE(db.reaches("second", "succeeded"));
  one.stop();
  EXPECT_THAT(db.violations(), IsEmpty());
}

TEST(lane_trouble, retention_deletes_nothing_from_a_table_that_only_has_the_name) {
  two_kinds db;
  db.exec("UPDATE rowrunner.kinds SET retention = '1 hour' WHERE kind IN ('test', 'other')");
  worker_thread one(worker_thread::options_for(db), two_kinds::serve);
  db.add("first");
  ASSERT_TRUE(db.reaches("first", "succeeded"));
  db.exec(
      "ALTER TABLE public.test_jobs RENAME TO renamed;"
      "CREATE TABLE public.test_jobs (LIKE public.renamed INCLUDING ALL);"
      "INSERT INTO public.test_jobs (name, status, updated_at)"
      "  VALUES ('not a job', 'succeeded', now() - interval '1 day');"
      "INSERT INTO public.other_jobs (name, status, updated_at)"
      "  VALUES ('old', 'succeeded', now() - interval '1 day')");
  // Of a round, the kind `other` comes second.
  EXPECT_TRUE(db.becomes("SELECT count(*) FROM public.other_jobs", "0"));
  EXPECT_EQ(db.value("SELECT count(*) FROM public.test_jobs"), "1");
}

TEST(lane_trouble, a_table_that_is_gone_stops_its_own_kind_only) {
  two_kinds db;
  log_lines log;
  worker_thread one(worker_thread::options_for(db), two_kinds::serve, log.target());
  db.add("a");
  ASSERT_TRUE(db.reaches("a", "succeeded"));
  db.exec("ALTER TABLE public.test_jobs RENAME TO renamed");
  db.exec("INSERT INTO public.renamed (name) VALUES ('b')");
  db.add_other(5);
  EXPECT_TRUE(db.others_succeed(5));
  db.exec("ALTER TABLE public.renamed RENAME TO test_jobs");
  EXPECT_TRUE(db.reaches("b", "succeeded"));
  one.stop();
  EXPECT_LT(log.count("a claim failed"), 20) << log.text();
}

TEST(lane_trouble, a_poll_that_fails_for_one_kind_stops_its_own_kind_only) {
  two_kinds db;
  log_lines log;
  worker_thread one(worker_thread::options_for(db), two_kinds::serve, log.target());
  db.add("a");
  ASSERT_TRUE(db.reaches("a", "succeeded"));
  db.exec("UPDATE rowrunner.kinds SET wakeup = 'public.effects'::regclass WHERE kind = 'test'");
  db.add_other(5);
  EXPECT_TRUE(db.others_succeed(5));
  db.exec("UPDATE rowrunner.kinds SET wakeup = 'rowrunner.wakeup_test' WHERE kind = 'test'");
  db.add("b");
  EXPECT_TRUE(db.reaches("b", "succeeded"));
  one.stop();
}

TEST(lane_trouble, turns_that_do_not_come_are_skipped) {
  two_kinds db;
  const auto kind = db.value("SELECT id FROM rowrunner.kinds WHERE kind = 'test'");
  pqxx::connection other(db.url());
  pqxx::work tx(other);
  tx.exec("SELECT pg_advisory_xact_lock(1920169842, " + kind +
          " * 2 + n) FROM generate_series(0, 1) n");
  db.exec("INSERT INTO test_jobs (name) SELECT 'a' || n FROM generate_series(1, 200) n");
  auto kind_alone = test_kind();
  kind_alone.max_concurrent = 1;
  auto options = draining(db);
  log_lines log;
  worker_thread one(
      options, [&](worker& w) { w.add(kind_alone, run_test_job); }, log.target());
  EXPECT_EQ(one.join().succeeded, 200);
  EXPECT_EQ(log.count("lock of claims"), 1) << log.text();
  tx.commit();
}

TEST(lane_trouble, retention_that_fails_for_one_kind_goes_on_for_the_others) {
  two_kinds db;
  db.exec(
      "UPDATE rowrunner.kinds SET retention = '1 hour' WHERE kind IN ('test', 'other');"
      "INSERT INTO public.test_jobs (name, status, updated_at)"
      "  VALUES ('old', 'succeeded', now() - interval '1 day');"
      "INSERT INTO public.other_jobs (name, status, updated_at)"
      "  VALUES ('old', 'succeeded', now() - interval '1 day');"
      "CREATE FUNCTION public.refuse() RETURNS trigger LANGUAGE plpgsql AS"
      "  $$ BEGIN RAISE EXCEPTION 'kept for ever'; END $$;"
      "CREATE TRIGGER obstacle BEFORE DELETE ON public.test_jobs FOR EACH ROW"
      "  EXECUTE FUNCTION public.refuse()");
  log_lines log;
  worker_thread one(worker_thread::options_for(db), two_kinds::serve, log.target());
  EXPECT_TRUE(db.becomes("SELECT count(*) FROM public.other_jobs", "0"));
  one.stop();
  EXPECT_EQ(db.value("SELECT count(*) FROM test_jobs"), "1");
  EXPECT_THAT(log.text(), HasSubstr("kept for ever"));
}

}  // namespace
}  // namespace rowrunner::testing
