// One row whose UPDATE fails is found, passed over and reported, and costs no other job.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/two_kinds.hpp"

namespace rowrunner::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct obstacle {
  const char* name;
  /// Makes the job `bad` fail when it is claimed, and takes that away again.
  const char* raise;
  const char* remove;
  const char* error;
};
void PrintTo(const obstacle& which, std::ostream* out) { *out << which.name; }

constexpr const char* drop_trigger = "DROP TRIGGER obstacle ON public.test_jobs";

const obstacle obstacles[] = {
    {"a_check_that_is_not_valid",
     "ALTER TABLE public.test_jobs ADD CONSTRAINT never_bad"
     "  CHECK (name <> 'bad' OR status = 'queued') NOT VALID",
     "ALTER TABLE public.test_jobs DROP CONSTRAINT never_bad", "never_bad"},
    {"a_trigger_that_raises",
     "CREATE FUNCTION public.refuse() RETURNS trigger LANGUAGE plpgsql AS"
     "  $$ BEGIN RAISE EXCEPTION 'not this one'; END $$;"
     "CREATE TRIGGER obstacle BEFORE UPDATE ON public.test_jobs FOR EACH ROW"
     "  WHEN (NEW.name = 'bad' AND NEW.status = 'processing') EXECUTE FUNCTION public.refuse()",
     drop_trigger, "not this one"},
    {"a_trigger_that_violates_a_key",
     "CREATE TABLE public.seen (name text PRIMARY KEY);"
     "INSERT INTO public.seen VALUES ('bad');"
     "CREATE FUNCTION public.refuse() RETURNS trigger LANGUAGE plpgsql AS"
     "  $$ BEGIN INSERT INTO public.seen VALUES (NEW.name); RETURN NEW; END $$;"
     "CREATE TRIGGER obstacle AFTER UPDATE ON public.test_jobs FOR EACH ROW"
     "  WHEN (NEW.status = 'processing') EXECUTE FUNCTION public.refuse()",
     drop_trigger, "duplicate key"},
    {"a_deferred_check",
     "CREATE FUNCTION public.refuse() RETURNS trigger LANGUAGE plpgsql AS"
     "  $$ BEGIN RAISE EXCEPTION 'too late'; END $$;"
     "CREATE CONSTRAINT TRIGGER obstacle AFTER UPDATE ON public.test_jobs"
     "  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW"
     "  WHEN (NEW.name = 'bad' AND NEW.status = 'processing') EXECUTE FUNCTION public.refuse()",
     drop_trigger, "too late"},
    {"a_trigger_with_a_mistake",
     "CREATE FUNCTION public.refuse() RETURNS trigger LANGUAGE plpgsql AS"
     "  $$ BEGIN INSERT INTO public.missing VALUES (1); RETURN NEW; END $$;"
     "CREATE TRIGGER obstacle BEFORE UPDATE ON public.test_jobs FOR EACH ROW"
     "  WHEN (NEW.name = 'bad' AND NEW.status = 'processing') EXECUTE FUNCTION public.refuse()",
     drop_trigger, "missing"},
    {"a_trigger_that_suppresses_the_update",
     "CREATE FUNCTION public.refuse() RETURNS trigger LANGUAGE plpgsql AS"
     "  $$ BEGIN RETURN NULL; END $$;"
     "CREATE TRIGGER obstacle BEFORE UPDATE ON public.test_jobs FOR EACH ROW"
     "  WHEN (NEW.name = 'bad' AND NEW.status = 'processing') EXECUTE FUNCTION public.refuse()",
     drop_trigger, "changed no row"},
    {"a_trigger_that_keeps_it_queued",
     "CREATE FUNCTION public.refuse() RETURNS trigger LANGUAGE plpgsql AS"
     "  $$ BEGIN NEW.status := 'queued'; RETURN NEW; END $$;"
     "CREATE TRIGGER obstacle BEFORE UPDATE ON public.test_jobs FOR EACH ROW"
     "  WHEN (NEW.name = 'bad' AND NEW.status = 'processing') EXECUTE FUNCTION public.refuse()",
     drop_trigger, "the lease of the claim"},
    {"a_trigger_that_queues_it_anew",
     "CREATE FUNCTION public.refuse() RETURNS trigger LANGUAGE plpgsql AS"
     "  $$ BEGIN NEW.status := 'queued'; NEW.run_at := clock_timestamp(); RETURN NEW; END $$;"
     "CREATE TRIGGER obstacle BEFORE UPDATE ON public.test_jobs FOR EACH ROW"
     "  WHEN (NEW.name = 'bad' AND NEW.status = 'processing') EXECUTE FUNCTION public.refuse()",
     drop_trigger, "the lease of the claim"},
    {"a_trigger_that_ends_it",
     "CREATE FUNCTION public.refuse() RETURNS trigger LANGUAGE plpgsql AS"
     "  $$ BEGIN NEW.status := 'succeeded'; RETURN NEW; END $$;"
     "CREATE TRIGGER obstacle BEFORE UPDATE ON public.test_jobs FOR EACH ROW"
     "  WHEN (NEW.name = 'bad' AND NEW.status = 'processing') EXECUTE FUNCTION public.refuse()",
     drop_trigger, "the lease of the claim"},
    {"a_trigger_that_changes_the_lease",
     "CREATE FUNCTION public.refuse() RETURNS trigger LANGUAGE plpgsql AS"
     "  $$ BEGIN NEW.lease := 1; RETURN NEW; END $$;"
     "CREATE TRIGGER obstacle BEFORE UPDATE ON public.test_jobs FOR EACH ROW"
     "  WHEN (NEW.name = 'bad' AND NEW.status = 'processing') EXECUTE FUNCTION public.refuse()",
     drop_trigger, "the lease of the claim"},
};

class bad_row : public ::testing::TestWithParam<obstacle> {};

TEST_P(bad_row, costs_no_other_job_and_runs_when_it_is_fixed) {
  two_kinds db;
  for (int i = 0; i < 10; ++i) db.add("a" + std::to_string(i));
  const auto id = db.add("bad");
  for (int i = 0; i < 10; ++i) db.add("b" + std::to_string(i));
  db.add_other(5);
  db.exec(GetParam().raise);
  worker_thread one(worker_thread::options_for(db), two_kinds::serve);
  EXPECT_TRUE(db.becomes("SELECT count(*) FROM test_jobs WHERE status = 'succeeded'", "20"));
  EXPECT_TRUE(db.others_succeed(5));
  const auto about = " FROM rowrunner.claim_errors WHERE job_id = '" + id + "'";
  EXPECT_TRUE(db.becomes("SELECT count(*)" + about, "1"));
  EXPECT_THAT(db.value("SELECT error" + about), HasSubstr(GetParam().error));
  EXPECT_EQ(db.value("SELECT status || attempts FROM test_jobs WHERE name = 'bad'"), "queued0");
  EXPECT_EQ(db.value("SELECT count(*) FROM rowrunner.leases l, test_jobs j"
                     " WHERE j.name = 'bad' AND j.id = ANY (l.job_ids)"),
            "0");
  EXPECT_EQ(db.value("SELECT d.run_at = e.retry_at FROM rowrunner.delayed d"
                     " JOIN rowrunner.claim_errors e USING (kind, job_id)"),
            "t");
  db.exec(GetParam().remove);
  db.exec("UPDATE rowrunner.delayed SET run_at = now()");
  EXPECT_TRUE(db.reaches("bad", "succeeded"));
  one.stop();
  EXPECT_THAT(db.violations(), IsEmpty());
}

TEST_P(bad_row, is_put_off_by_a_claim_in_sql) {
  // The first fails only when the caller commits; the second is an error of the table, and raised.
  const std::string_view which = GetParam().name;
  if (which == "a_deferred_check" || which == "a_trigger_with_a_mistake") return;
  two_kinds db;
  const auto id = db.add("bad");
  db.add("good");
  db.exec(GetParam().raise);
  const std::string claim =
      "SELECT string_agg(c->>'name', ' ') FROM rowrunner.claim('test', 'w', 2) c";
  EXPECT_EQ(db.value(claim), "good");
  EXPECT_EQ(db.value("SELECT coalesce((" + claim + "), 'none')"), "none");
  EXPECT_EQ(db.value("SELECT status || attempts || coalesce(lease, 0) FROM test_jobs"
                     " WHERE name = 'bad'"),
            "queued00");
  EXPECT_THAT(db.value("SELECT error FROM rowrunner.claim_errors WHERE job_id = '" + id + "'"),
              HasSubstr(GetParam().error));
  EXPECT_EQ(db.value("SELECT count(*) FROM rowrunner.queue"), "0");
}

INSTANTIATE_TEST_SUITE_P(attack, bad_row, ::testing::ValuesIn(obstacles),
                         [](const auto& each) { return std::string(each.param.name); });

TEST(bad_row, that_raises_what_should_go_away_is_passed_by) {
  two_kinds db;
  db.add("bad");
  for (int i = 0; i < 10; ++i) db.add("b" + std::to_string(i));
  db.add_other(5);
  db.exec(
      "CREATE FUNCTION public.refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
      "  RAISE EXCEPTION 'always' USING ERRCODE = 'serialization_failure'; END $$;"
      "CREATE TRIGGER obstacle BEFORE UPDATE ON public.test_jobs FOR EACH ROW"
      "  WHEN (NEW.name = 'bad' AND NEW.status = 'processing') EXECUTE FUNCTION public.refuse()");
  worker_thread one(worker_thread::options_for(db), two_kinds::serve);
  EXPECT_TRUE(db.others_succeed(5));
  EXPECT_TRUE(db.becomes("SELECT count(*) FROM test_jobs WHERE status = 'succeeded'", "10"));
  db.exec(drop_trigger);
  EXPECT_TRUE(db.reaches("bad", "succeeded"));
  one.stop();
  EXPECT_THAT(db.violations(), IsEmpty());
}

TEST(bad_row, many_of_them_are_reported_in_one_line) {
  two_kinds db;
  db.exec("INSERT INTO test_jobs (name) SELECT 'bad' || n FROM generate_series(1, 120) n");
  db.add("good");
  db.exec(
      "ALTER TABLE public.test_jobs ADD CONSTRAINT never_bad"
      "  CHECK (name NOT LIKE 'bad%' OR status = 'queued') NOT VALID");
  auto options = worker_thread::options_for(db);
  options.drain = true;
  log_lines log;
  EXPECT_EQ(worker_thread(options, two_kinds::serve, log.target()).join().succeeded, 1);
  EXPECT_EQ(db.value("SELECT count(*) FROM rowrunner.claim_errors"), "120");
  EXPECT_EQ(db.value("SELECT count(*) FROM rowrunner.delayed"), "120");
  EXPECT_EQ(log.count("passed over"), 1) << log.text();
  EXPECT_THAT(log.text(), HasSubstr("never_bad"));
}

TEST(bad_row, waits_longer_each_time_it_fails) {
  jobs_database db;
  const auto id = db.add("a");
  const auto call = "SELECT extract(epoch FROM rowrunner.pass_over(1::smallint, '" + id +
                    "', 'no') - clock_timestamp())::integer";
  for (const char* seconds : {"5", "10", "20", "40", "80", "160", "320", "600", "600"}) {
    EXPECT_EQ(db.value(call), seconds);
  }
}

}  // namespace
}  // namespace rowrunner::testing
