// What happens to the examples in use: jobs that run again, jobs that fail, a session that is lost.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/paths.hpp"
#include "support/postgres.hpp"
#include "support/process.hpp"

namespace rowrunner::testing {
namespace {

using ::testing::HasSubstr;

class examples_in_use : public ::testing::Test {
 protected:
  examples_in_use() {
    const auto made = run_process({"psql", "-qv", "ON_ERROR_STOP=1", "-d", db_.url(), "-f",
                                   source_dir() + "/examples/own_table/thumbnails.sql"});
    EXPECT_EQ(made.exit_code, 0) << made.err;
    db_.exec("INSERT INTO public.thumbnails (picture) VALUES ('x.png')");
  }

  process_result run(const std::vector<std::string>& argv) {
    return run_process(argv, {{"DATABASE_URL", db_.url()}});
  }
  process_result run_python() {
    return run({"/usr/bin/python3", source_dir() + "/examples/other_language/worker.py"});
  }

  /// A trigger function, public.disturb, with this body.
  void disturb(const std::string& body, const std::string& when) {
    db_.exec("CREATE FUNCTION public.disturb() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN " +
             body + "; RETURN NEW; END $$");
    db_.exec("CREATE TRIGGER disturb " + when + " FOR EACH ROW EXECUTE FUNCTION public.disturb()");
  }

  std::string job() {
    return db_.value("SELECT concat_ws(' ', status, attempts, last_error) FROM public.thumbnails");
  }

  test_database db_;
};

TEST_F(examples_in_use, a_job_that_is_enqueued_again_writes_its_effect_again) {
  const std::vector<std::string> cpp{examples_dir() + "/own_table_worker", "--drain"};
  EXPECT_EQ(run(cpp).exit_code, 0);
  ASSERT_EQ(job(), "succeeded 0");
  const auto file = "SELECT file FROM public.thumbnails_made";
  const auto again = "SELECT rowrunner.enqueue_again('thumbnail', id) FROM public.thumbnails";
  db_.exec("UPDATE public.thumbnails SET width = 300");
  EXPECT_EQ(db_.value(again), "t");
  EXPECT_EQ(run(cpp).exit_code, 0);
  EXPECT_EQ(job(), "succeeded 0");
  EXPECT_EQ(db_.value(file), "small/300/x.png");
  db_.exec("UPDATE public.thumbnails SET width = 400");
  EXPECT_EQ(db_.value(again), "t");
  EXPECT_EQ(run_python().exit_code, 0);
  EXPECT_EQ(job(), "succeeded 0");
  EXPECT_EQ(db_.value(file), "small/400/x.png");
}

TEST_F(examples_in_use, the_python_worker_goes_on_when_its_session_is_terminated) {
  db_.exec("CREATE SEQUENCE public.inserts");  // it counts also what is rolled back
  disturb(
      "IF nextval('public.inserts') = 1 THEN PERFORM pg_terminate_backend(pg_backend_pid());"
      " END IF",
      "BEFORE INSERT ON public.thumbnails_made");
  const auto worked = run_python();
  EXPECT_EQ(worked.exit_code, 0) << worked.err;
  EXPECT_THAT(worked.err, HasSubstr("the session is lost: "));
  EXPECT_EQ(worked.out, "shrinking x.png\n");  // the step was stored
  EXPECT_EQ(job(), "succeeded 0");
  EXPECT_EQ(db_.value("SELECT sum(released) FROM rowrunner.counters"), "1");
  EXPECT_EQ(db_.value("SELECT count(*) FROM rowrunner.leases"), "0");
}

TEST_F(examples_in_use, the_python_worker_says_which_job_failed_and_why) {
  disturb("RAISE EXCEPTION 'no room'", "BEFORE INSERT ON public.thumbnails_made");
  const auto worked = run_python();
  EXPECT_EQ(worked.exit_code, 0) << worked.err;
  EXPECT_THAT(worked.err, HasSubstr("x.png failed (queued): no room"));
  EXPECT_THAT(job(), HasSubstr("queued 1 no room"));
}

TEST_F(examples_in_use, the_python_worker_heeds_that_a_failure_did_not_count) {
  disturb("UPDATE public.thumbnails SET lease = lease - 1", "AFTER INSERT ON rowrunner.progress");
  db_.exec("ALTER TABLE public.thumbnails_made ADD CHECK (picture <> 'x.png')");
  const auto worked = run_python();
  EXPECT_EQ(worked.exit_code, 0) << worked.err;
  EXPECT_THAT(worked.err, HasSubstr("x.png failed (the lease is lost):"));
  EXPECT_EQ(job(), "processing 0");
}

}  // namespace
}  // namespace rowrunner::testing
