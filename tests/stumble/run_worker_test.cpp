// A worker program of one's own has what `rowrunner worker` has, through rowrunner::run_worker.

#include "support/command.hpp"
#include "support/paths.hpp"
#include "support/watched_database.hpp"

namespace rowrunner::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class run_worker : public ::testing::Test {
 protected:
  run_worker() {
    const auto made = run_process({"psql", "-qv", "ON_ERROR_STOP=1", "-d", db_.url(), "-f",
                                   source_dir() + "/examples/own_table/thumbnails.sql"});
    EXPECT_EQ(made.exit_code, 0) << made.err;
  }
  process_result run(std::vector<std::string> arguments, process_environment environment = {}) {
    arguments.insert(arguments.begin(), program_);
    environment.emplace("DATABASE_URL", db_.url());
    return run_process(arguments, environment);
  }

  const std::string program_ = examples_dir() + "/own_table_worker";
  watched_database db_;
};

TEST_F(run_worker, an_empty_url_is_not_taken_for_another_database) {
  const std::string why = "--database-url is empty: leave it out to use DATABASE_URL";
  const auto worker = run({"--drain", "--database-url", ""});
  EXPECT_EQ(worker.exit_code, 2);
  EXPECT_THAT(worker.err, HasSubstr(why));
  EXPECT_THAT(command(db_).error(2, {"stats", "--database-url", ""}), HasSubstr(why));
}

TEST_F(run_worker, gives_a_program_the_flags_and_variables_of_the_command) {
  db_.exec("INSERT INTO public.thumbnails (picture) SELECT i FROM generate_series(1, 5) i");
  const auto two = run({"--drain", "--max-jobs", "2", "--kind", "thumbnail:1", "--name", "mine"});
  EXPECT_EQ(two.exit_code, 0) << two.err;
  EXPECT_EQ(db_.value("SELECT count(*) || ' ' || min(locked_by) FROM public.thumbnails"
                      " WHERE status = 'succeeded'"),
            "2 mine");
  const auto rest = run({"--drain", "--log-level", "error"}, {{"WORKER_ID", "other"}});
  EXPECT_EQ(rest.exit_code, 0) << rest.err;
  EXPECT_EQ(rest.err, "");
  EXPECT_EQ(db_.value("SELECT count(*) FROM public.thumbnails WHERE locked_by = 'other'"), "3");
}

TEST_F(run_worker, ends_on_a_signal) {
  db_.watch("public.thumbnails");
  db_.exec("INSERT INTO public.thumbnails (picture) VALUES ('a.png')");
  child_process worker({program_}, {{"DATABASE_URL", db_.url()}});
  ASSERT_TRUE(db_.becomes("SELECT status FROM public.thumbnails", "succeeded")) << worker.err();
  worker.kill(SIGTERM);
  EXPECT_EQ(worker.wait(), 0);
}

TEST_F(run_worker, complains_in_one_line_with_the_commands_exit_codes) {
  const auto refused = [&](int code, const std::string& text,
                           const std::vector<std::string>& arguments,
                           const process_environment& environment = {}) {
    const auto result = run(arguments, environment);
    EXPECT_EQ(result.exit_code, code);
    EXPECT_THAT(result.err, HasSubstr("own_table_worker: " + text));
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  };
  refused(2, "this program has no handler for kind 'invoice': it serves thumbnail",
          {"--kind", "invoice"});
  refused(2, "--lease must be from 1 to 86400, not 1e+12", {"--lease", "1e12"});
  refused(2, "The following argument was not expected: --frobnicate", {"--frobnicate"});
  refused(2, "no database: set DATABASE_URL", {}, {{"DATABASE_URL", std::nullopt}});
  refused(1, "", {"--drain"}, {{"DATABASE_URL", "postgresql://nobody@localhost:1/x"}});
  EXPECT_THAT(run({"--help"}).out, HasSubstr("--concurrency"));
}

TEST_F(run_worker, settings_of_one_kind_are_found_at_start) {
  const auto refusal = [&](const std::vector<std::string>& arguments,
                           const process_environment& environment) {
    const auto result = run(arguments, environment);
    EXPECT_EQ(result.exit_code, 2);
    return result.err;
  };
  EXPECT_THAT(refusal({"--drain"}, {{"MAX_CONCURRENT_THUMBNAIL", "0"}}),
              HasSubstr("MAX_CONCURRENT_THUMBNAIL must be from 1 to 10000, not 0"));
  EXPECT_THAT(refusal({"--drain", "--lease", "thumbnail=0.5"}, {}),
              HasSubstr("--lease of thumbnail must be from 1 to 86400, not 0.5"));
  EXPECT_THAT(refusal({"--drain", "--retry-cap", "thumbs=5"}, {}),
              HasSubstr("--retry-cap names the kind 'thumbs': there are thumbnail\n"));
  const auto fine =
      run({"--drain", "--concurrency", "thumbnail=2"}, {{"RETRY_FIRST_THUMBNAIL", "2"}});
  EXPECT_EQ(fine.exit_code, 0) << fine.err;
  EXPECT_THAT(fine.err, Not(HasSubstr("is ignored")));
}

// Programs share an environment or a .env file.
TEST_F(run_worker, a_variable_of_another_program_is_a_warning) {
  const auto result = run({"--drain"}, {{"MAX_CONCURRENT_UPLOADS", "many"}});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.err, HasSubstr("a variable is for no kind of this program, and is ignored"));
  EXPECT_THAT(result.err, HasSubstr("MAX_CONCURRENT_UPLOADS"));
  EXPECT_THAT(result.err, HasSubstr("MAX_CONCURRENT_THUMBNAIL"));
}

TEST_F(run_worker, the_lease_of_one_kind_can_be_set) {
  db_.exec(
      "CREATE TABLE public.seen (length interval);"
      "CREATE FUNCTION public.see() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
      " INSERT INTO public.seen VALUES (NEW.expires_at - now()); RETURN NULL; END $$;"
      "CREATE TRIGGER see AFTER INSERT ON rowrunner.leases"
      " FOR EACH ROW EXECUTE FUNCTION public.see()");
  const auto lease_of_a_job = [&](const std::vector<std::string>& flags,
                                  const process_environment& environment) {
    db_.exec(
        "TRUNCATE public.seen, public.thumbnails;"
        "INSERT INTO public.thumbnails (picture) VALUES ('a.png')");
    std::vector<std::string> arguments{"--drain"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    EXPECT_EQ(run(arguments, environment).exit_code, 0);
    return db_.value("SELECT extract(epoch FROM min(length))::integer FROM public.seen");
  };
  EXPECT_EQ(lease_of_a_job({}, {}), "10");
  EXPECT_EQ(lease_of_a_job({}, {{"LEASE_SECONDS", "20"}}), "20");
  const process_environment both{{"LEASE_SECONDS", "20"}, {"LEASE_SECONDS_THUMBNAIL", "30"}};
  EXPECT_EQ(lease_of_a_job({}, both), "30");
  EXPECT_EQ(lease_of_a_job({"--lease", "40"}, both), "40");
  EXPECT_EQ(lease_of_a_job({"--lease", "thumbnail=50", "--lease", "40"}, both), "50");
}

TEST_F(run_worker, is_what_the_command_names_for_a_kind_that_it_cannot_run) {
  const command rowrunner(db_);
  const auto text = rowrunner.error(2, {"worker", "--kind", "thumbnail"});
  EXPECT_THAT(text, HasSubstr("rowrunner itself has no handler for kind 'thumbnail'"));
  EXPECT_THAT(text, HasSubstr("a program of your own, made with rowrunner::run_worker"));
  EXPECT_THAT(text, HasSubstr("--handler thumbnail=noop"));
  EXPECT_THAT(rowrunner.error(2, {"worker", "--handler", "thumbnail=nope"}),
              ::testing::ContainsRegex("unknown handler 'nope': there are .*noop"));
}

}  // namespace
}  // namespace rowrunner::testing
