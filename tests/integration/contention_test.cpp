// Another session holds a row that the engine needs, or the clock is set back.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

#include "support/worker_thread.hpp"

namespace rowrunner::testing {
namespace {

using ::testing::IsEmpty;
using namespace std::chrono_literals;

/// Claims everything that is due as a worker that is lost at once.
void lose_a_worker(jobs_database& db, int jobs) {
  db.exec("SELECT rowrunner.claim('test', 'lost', " + std::to_string(jobs) + ", '1 us')");
}

TEST(contention, a_held_row_does_not_stop_the_rescue_of_the_others) {
  jobs_database db;
  for (const char* name : {"a", "b", "held"}) db.add(name);
  lose_a_worker(db, 3);
  pqxx::connection other(db.url());
  pqxx::work tx(other);
  tx.exec("SELECT FROM test_jobs WHERE name = 'held' FOR UPDATE");
  worker_thread one(db);
  EXPECT_TRUE(db.becomes("SELECT count(*) FROM test_jobs WHERE status = 'succeeded'", "2"));
  EXPECT_EQ(db.status("held"), "processing");
  EXPECT_THAT(db.violations(), IsEmpty());
  tx.commit();
  EXPECT_TRUE(db.reaches("held", "succeeded"));
  EXPECT_EQ(db.value("SELECT string_agg(attempts::text, '') FROM test_jobs"), "111");
  one.stop();
  EXPECT_THAT(db.violations(), IsEmpty());
}

TEST(contention, a_row_that_is_held_while_it_should_end_does_not_hold_up_the_others) {
  jobs_database db;
  db.add("held", "ok", 300);
  worker_thread one(db);
  ASSERT_TRUE(db.reaches("held", "processing"));
  pqxx::connection other(db.url());
  pqxx::work tx(other);
  tx.exec("SELECT FROM test_jobs WHERE name = 'held' FOR UPDATE");
  for (int i = 0; i < 5; ++i) db.add("a" + std::to_string(i), "ok", 300);
  EXPECT_TRUE(db.becomes("SELECT count(*) FROM test_jobs WHERE status = 'succeeded'", "5"));
  tx.commit();
  EXPECT_TRUE(db.reaches("held", "succeeded"));
  EXPECT_EQ(one.stop().succeeded, 6);
  EXPECT_EQ(db.value("SELECT sum(attempts) FROM test_jobs"), "0");
  EXPECT_THAT(db.violations(), IsEmpty());
}

TEST(contention, a_lease_is_kept_while_its_end_waits_for_a_locked_table) {
  jobs_database db;
  auto options = worker_thread::options_for(db);
  options.lease = 10s;
  worker_thread one(options, [](worker& w) { w.add(test_kind(), run_test_job); });
  const auto id = db.add("a", "ok", 3000);
  ASSERT_TRUE(db.reaches("a", "processing"));
  // Another lease: its end is tried together with the first one, as soon as that has waited in
  // vain.
  db.add("b", "ok", 3000);
  ASSERT_TRUE(db.reaches("b", "processing"));
  pqxx::connection other(db.url());
  pqxx::work tx(other);
  tx.exec("LOCK TABLE test_jobs IN ACCESS EXCLUSIVE MODE");
  ASSERT_TRUE(
      db.becomes("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                 " AND wait_event_type = 'Lock' AND query LIKE '%''succeeded''%'",
                 "1"));
  const auto lease = " FROM rowrunner.leases WHERE '" + id + "' = ANY (job_ids)";
  const auto before = db.value("SELECT expires_at" + lease);
  ASSERT_NE(before, "") << "the job has ended before the table was locked";
  EXPECT_TRUE(db.becomes("SELECT expires_at > '" + before + "'" + lease, "t", 8s))
      << "a try takes five seconds, then there is a heartbeat, and the second try ends after ten";
  tx.commit();
  EXPECT_TRUE(db.reaches("a", "succeeded"));
  EXPECT_TRUE(db.reaches("b", "succeeded"));
  EXPECT_EQ(one.stop().refused, 0);
  EXPECT_EQ(db.value("SELECT sum(attempts) FROM test_jobs"), "0");
  EXPECT_THAT(db.violations(), IsEmpty());
}

TEST(contention, what_a_claim_took_that_was_answered_too_late_goes_back_uncharged) {
  jobs_database db;
  db.exec(
      "CREATE SEQUENCE public.claims;"
      "CREATE FUNCTION slow_at_first() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
      "  IF nextval('public.claims') = 1 THEN PERFORM pg_sleep(1.5); END IF; RETURN NULL;"
      "END $$;"
      "CREATE TRIGGER slow_at_first AFTER UPDATE ON test_jobs FOR EACH ROW"
      "  WHEN (NEW.status = 'processing') EXECUTE FUNCTION slow_at_first()");
  db.add("a");
  auto options = worker_thread::options_for(db);
  options.lease = 1s;
  worker_thread one(options, [](worker& w) { w.add(test_kind(), run_test_job); });
  EXPECT_TRUE(db.reaches("a", "succeeded"));
  const auto counts = one.stop();
  EXPECT_EQ(counts.claimed, 2);
  EXPECT_EQ(counts.refused, 1) << "nothing was started under the first lease";
  EXPECT_EQ(counts.released, 1);
  EXPECT_EQ(db.value("SELECT attempts FROM test_jobs"), "0");
  EXPECT_THAT(db.violations(), IsEmpty());
}

TEST(contention, an_effect_that_can_never_be_written_costs_its_attempt) {
  jobs_database db;
  db.exec(
      "CREATE FUNCTION give_way() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
      "  RAISE EXCEPTION 'another one is always first' USING ERRCODE = 'serialization_failure';"
      "END $$;"
      "CREATE TRIGGER give_way BEFORE INSERT ON effects FOR EACH ROW WHEN (NEW.name = 'hopeless')"
      "  EXECUTE FUNCTION give_way()");
  db.add("hopeless", "ok", 0, 0, 1);
  worker_thread one(db);
  EXPECT_TRUE(db.reaches("hopeless", "failed"));
  db.add("other");
  EXPECT_TRUE(db.reaches("other", "succeeded"));
  one.stop();
  EXPECT_THAT(db.value("SELECT last_error FROM test_jobs WHERE name = 'hopeless'"),
              ::testing::AllOf(::testing::HasSubstr("the outcome could not be written"),
                               ::testing::HasSubstr("another one is always first")));
  EXPECT_THAT(db.violations(), IsEmpty());
}

TEST(contention, a_request_to_cancel_that_an_end_had_to_wait_for_still_counts) {
  jobs_database db;
  const auto id = db.add("a");
  const auto lease = db.value("SELECT rowrunner.claim('test', 'me', 1) ->> 'lease'");
  pqxx::connection asking(db.url());
  pqxx::work request(asking);
  request.exec("SELECT rowrunner.cancel('test', '" + id + "', 'no')");
  auto ended = std::async(std::launch::async, [&] {
    return db.value("SELECT rowrunner.fail('test', '" + id + "', " + lease + ", 'boom')");
  });
  pqxx::connection watching(db.url());
  for (bool waits = false; !waits;) {
    pqxx::nontransaction look(watching);
    waits = look.exec(
                    "SELECT count(*) > 0 FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
                    " AND datname = current_database()")[0][0]
                .as<bool>();
  }
  request.commit();
  ended.get();
  EXPECT_EQ(db.value("SELECT status || ' ' || last_error FROM test_jobs"),
            "cancelled cancelled: no");
  EXPECT_THAT(db.violations(), IsEmpty());
}

TEST(contention, a_job_that_has_an_entry_before_its_time_is_delayed_again) {
  jobs_database db;
  // As after the clock was set back: due when it got its entry, not due when the claim meets it.
  db.exec("INSERT INTO test_jobs (name, run_at) VALUES ('a', now() + '800 ms')");
  db.exec(
      "DELETE FROM rowrunner.delayed; INSERT INTO rowrunner.queue"
      " SELECT k.id, 0, nextval('rowrunner.queue_back'), j.id FROM test_jobs j, rowrunner.kinds k"
      " WHERE k.kind = 'test'");
  worker_thread one(db);
  EXPECT_TRUE(db.becomes("SELECT count(*) FROM rowrunner.delayed", "1"));
  EXPECT_TRUE(db.reaches("a", "succeeded"));
  EXPECT_EQ(db.value("SELECT min(h.at) >= j.run_at FROM history h JOIN test_jobs j USING (name)"
                     " GROUP BY j.run_at"),
            "t");
}

TEST(contention, a_job_for_the_end_of_time_does_not_keep_the_others_from_running) {
  jobs_database db;
  db.exec("INSERT INTO test_jobs (name, run_at) VALUES ('never', 'infinity')");
  worker_thread one(db);
  ASSERT_TRUE(db.becomes("SELECT count(*) FROM rowrunner.workers", "1"));
  db.exec(
      "INSERT INTO test_jobs (name, run_at) VALUES ('soon', now() + '300 ms'), ('now', "
      "'-infinity')");
  EXPECT_TRUE(db.reaches("now", "succeeded"));
  EXPECT_TRUE(db.reaches("soon", "succeeded"));
  EXPECT_EQ(db.status("never"), "queued");
}

TEST(contention, an_end_by_the_wrong_kind_leaves_the_job_to_the_rescue) {
  jobs_database db;
  const auto id = db.add("a");
  const auto lease = db.value("SELECT rowrunner.claim('test', 'me', 1) ->> 'lease'");
  for (const char* call : {"succeed('letter', '", "release('letter', '"}) {
    EXPECT_EQ(db.value(std::string("SELECT rowrunner.") + call + id + "', " + lease + ")"), "f");
  }
  EXPECT_EQ(db.value("SELECT rowrunner.fail('letter', '" + id + "', " + lease + ", 'x')"), "");
  EXPECT_THAT(db.violations(), IsEmpty());
}

TEST(contention, what_is_processing_when_a_table_is_attached_is_rescued) {
  jobs_database db;
  db.exec(
      "CREATE TABLE public.old_jobs (LIKE public.test_jobs INCLUDING ALL);"
      "INSERT INTO public.old_jobs (name, status, lease) VALUES ('a', 'processing', 7),"
      " ('b', 'processing', 8);"
      "SELECT rowrunner.attach('public.old_jobs', kind => 'old')");
  db.exec("SELECT rowrunner.rescue(id) FROM rowrunner.kinds WHERE kind = 'old'");
  EXPECT_EQ(db.value("SELECT string_agg(status || attempts, ' ') FROM public.old_jobs"),
            "queued1 queued1");
}

}  // namespace
}  // namespace rowrunner::testing
