// The real binary, as people and scripts call it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "common/schema/schema_version.hpp"
#include "support/jobs.hpp"
#include "support/paths.hpp"
#include "support/process.hpp"

namespace rowrunner::testing {
namespace {

using nlohmann::json;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string unknown_id = "00000000-0000-0000-0000-000000000000";

class cli : public ::testing::Test {
 protected:
  explicit cli(test_database::contents contents = test_database::contents::migrated)
      : db_(contents) {}

  process_environment environment() const { return {{"DATABASE_URL", db_.url()}}; }

  static process_result run_with(const process_environment& environment,
                                 std::vector<std::string> arguments,
                                 const std::string& directory = {}) {
    arguments.insert(arguments.begin(), rowrunner_binary());
    return run_process(arguments, environment, directory);
  }

  process_result run(const std::vector<std::string>& arguments) const {
    return run_with(environment(), arguments);
  }

  // What a command that must succeed prints.
  std::string out(const std::vector<std::string>& arguments) const {
    const auto result = run(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.err, "");
    return result.out;
  }

  json parsed(std::vector<std::string> arguments) const {
    arguments.emplace_back("--json");
    return json::parse(out(arguments));
  }

  static void expect_error(const process_result& result, int exit_code, const std::string& text) {
    EXPECT_EQ(result.exit_code, exit_code);
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err, HasSubstr(text));
    EXPECT_EQ(result.err.rfind("rowrunner: ", 0), 0u) << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
  }

  test_database db_;
};

class cli_without_schema : public cli {
 protected:
  cli_without_schema() : cli(test_database::contents::empty) {}
};

TEST_F(cli_without_schema, migrate_brings_it_up_to_date_and_says_so) {
  expect_error(run({"stats"}), 1, "the database has no Rowrunner schema: run 'rowrunner migrate'");
  EXPECT_THAT(out({"migrate", "--status"}), ContainsRegex("0001_engine +pending"));
  EXPECT_THAT(out({"migrate", "--dry-run"}), HasSubstr("would apply engine/0001_engine"));
  expect_error(run({"stats"}), 1, "no Rowrunner schema");
  EXPECT_THAT(out({"migrate"}), HasSubstr("applied engine/0001_engine"));
  EXPECT_THAT(out({"migrate"}), HasSubstr("nothing to do"));
  EXPECT_EQ(parsed({"migrate"})["applied"].size(), 0u);
  EXPECT_EQ(parsed({"migrate"})["version"], binary_schema_version());
  EXPECT_TRUE(parsed({"migrate", "--status"})["migrations"][0]["applied_at"].is_string());
  EXPECT_EQ(run({"stats"}).exit_code, 0);
}

TEST_F(cli_without_schema, migrate_can_leave_out_the_workloads) {
  expect_error(run({"migrate", "--only", "nonsense"}), 2, "there is no component 'nonsense'");
  EXPECT_THAT(out({"migrate", "--only", "engine"}), HasSubstr("applied engine/0001_engine"));
  EXPECT_EQ(db_.value("SELECT string_agg(DISTINCT component, ' ') FROM rowrunner.migrations"),
            "engine");
  EXPECT_EQ(run({"stats"}).exit_code, 0);
}

TEST_F(cli, refuses_a_schema_that_does_not_serve_it) {
  db_.exec("UPDATE rowrunner.schema_info SET version = 1");
  expect_error(run({"stats"}), 1, "schema version 1 is older than this binary needs");
  db_.exec("UPDATE rowrunner.schema_info SET version = 99, oldest_binary = 98");
  expect_error(run({"jobs", "list"}), 1, "upgrade the binary");
  db_.exec("UPDATE rowrunner.schema_info SET oldest_binary = 1");
  EXPECT_EQ(run({"jobs", "list"}).exit_code, 0);
}

TEST_F(cli, has_help_with_examples_and_a_version) {
  for (const std::vector<std::string>& command : {std::vector<std::string>{},
                                                  {"migrate"},
                                                  {"jobs"},
                                                  {"jobs", "list"},
                                                  {"jobs", "show"},
                                                  {"jobs", "retry"},
                                                  {"jobs", "cancel"},
                                                  {"stats"},
                                                  {"kinds"},
                                                  {"kinds", "list"},
                                                  {"kinds", "pause"},
                                                  {"kinds", "resume"},
                                                  {"kinds", "retention"},
                                                  {"kinds", "repair"},
                                                  {"doctor"},
                                                  {"worker"}}) {
    auto arguments = command;
    arguments.emplace_back("--help");
    const auto result = run(arguments);
    EXPECT_EQ(result.exit_code, 0);
    std::string called = "rowrunner";
    for (const auto& word : command) called += " " + word;
    EXPECT_THAT(result.out, ContainsRegex("Examples?:\n  " + called)) << "not those of another one";
  }
  EXPECT_EQ(out({"--version"}),
            "rowrunner 0.1.0 (schema version " + std::to_string(binary_schema_version()) + ")\n");
}

TEST_F(cli, wrong_usage_exits_with_2) {
  expect_error(run({}), 2, "which command?");
  expect_error(run({"jobs"}), 2, "which command?");
  expect_error(run({"frobnicate"}), 2, "frobnicate");
  expect_error(run({"jobs", "frobnicate"}), 2, "frobnicate");
  expect_error(run({"stats", "--frobnicate"}), 2, "--frobnicate");
  expect_error(run({"jobs", "list", "--status", "asleep"}), 2, "asleep");
  expect_error(run({"jobs", "list", "--limit", "0"}), 2, "--limit");
  expect_error(run({"jobs", "list", "--after", "x"}), 2, "is not a job's id");
  expect_error(run({"jobs", "list", "--status", "queued", "--after", "x"}), 2,
               "a queue position such as");
  expect_error(run({"jobs", "show"}), 2, "ID");
  expect_error(run({"jobs", "show", "7"}), 2, "'7' is not a job's id (a uuid)");
  expect_error(run({"jobs", "retry", "7"}), 2, "not a job's id");
  expect_error(run({"jobs", "cancel", "7"}), 2, "not a job's id");
  expect_error(run({"jobs", "retry"}), 2, "either job ids or --failed");
  expect_error(run({"jobs", "retry", unknown_id, "--failed"}), 2, "either job ids or --failed");
  expect_error(run({"jobs", "retry", unknown_id, "--kind", "letter"}), 2, "goes with --failed");
  expect_error(run({"kinds", "pause"}), 2, "KIND");
  expect_error(run({"stats", "--watch", "0"}), 2, "--watch");
  expect_error(run({"stats", "--watch", "--prometheus"}), 2, "--watch excludes --prometheus");
  expect_error(run({"stats", "--json", "--prometheus"}), 2, "choose --json or --prometheus");
}

TEST_F(cli, says_what_to_set_without_a_database) {
  expect_error(run_with({{"DATABASE_URL", std::nullopt}}, {"stats"}, ::testing::TempDir()), 2,
               "set DATABASE_URL (environment or .env) or give --database-url");
}

TEST_F(cli, says_where_no_database_answers_but_never_the_password) {
  const auto result = run({"stats", "--database-url", "postgresql://u:hush@127.0.0.1:1/nowhere"});
  expect_error(result, 1, "host 127.0.0.1, port 1, database nowhere");
  EXPECT_THAT(result.err, HasSubstr("Check that the server runs"));
  EXPECT_THAT(result.err, Not(HasSubstr("hush")));
  for (const std::string url : {"postgresql://u:hu@sh@h/d", "postgresql://u:hush@h:port/d",
                                "host=nowhere.invalid password=hush", "hush"}) {
    const auto other = run({"stats", "--database-url", url});
    EXPECT_EQ(other.exit_code, 1) << url;
    EXPECT_THAT(other.err, Not(HasSubstr("hush"))) << url;
    EXPECT_EQ(std::count(other.err.begin(), other.err.end(), '\n'), 1) << other.err;
  }
}

TEST_F(cli, reads_a_dot_env_below_environment_below_flags) {
  const auto folder = std::filesystem::path(::testing::TempDir()) / db_.name();
  std::filesystem::create_directory(folder);
  const std::string nowhere = "postgresql://127.0.0.1:1/nowhere";
  std::ofstream(folder / ".env") << "# the database\nexport DATABASE_URL='" << db_.url() << "'\n";
  const process_environment unset{{"DATABASE_URL", std::nullopt}};
  EXPECT_EQ(run_with(unset, {"stats"}, folder).exit_code, 0);
  EXPECT_EQ(run_with({{"DATABASE_URL", nowhere}}, {"stats"}, folder).exit_code, 1);
  EXPECT_EQ(run_with({{"DATABASE_URL", nowhere}}, {"stats", "--database-url", db_.url()}, folder)
                .exit_code,
            0);
  std::ofstream(folder / ".env") << "GOOD=1\nnot a setting\n";
  expect_error(run_with(unset, {"stats"}, folder), 2, ".env:2: expected KEY=VALUE");
  std::filesystem::remove_all(folder);
}

TEST_F(cli, kinds_are_listed_paused_and_resumed) {
  EXPECT_THAT(out({"kinds", "list"}), ContainsRegex("letter +public.letter_jobs +no worker"));
  EXPECT_THAT(out({"kinds", "pause", "letter"}), HasSubstr("letter is paused"));
  EXPECT_EQ(parsed({"kinds", "list"})["kinds"][0]["paused"], true);
  insert_job(db_, "a");
  EXPECT_EQ(claim_names(db_), "");
  EXPECT_EQ(out({"kinds", "pause", "letter"}),
            "letter was paused already: its jobs wait, running ones end\n");
  const auto resumed = parsed({"kinds", "resume", "letter"});
  EXPECT_EQ(resumed["paused"], false);
  EXPECT_EQ(resumed["changed"], true);
  EXPECT_EQ(claim_names(db_), "a");
  EXPECT_EQ(out({"kinds", "resume", "letter"}), "letter was not paused: nothing has changed\n");
  out({"kinds", "pause", "letter"});
  EXPECT_EQ(out({"kinds", "resume", "letter"}), "letter is resumed: its jobs start again\n");
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"kinds", "pause", "nope"},
        {"jobs", "list", "--kind", "nope"},
        {"jobs", "retry", "--failed", "--kind", "nope"}}) {
    expect_error(run(command), 1, "unknown kind 'nope'; attached kinds: letter");
  }
  expect_error(run({"kinds", "pause", "\xFF"}), 1, "broken UTF-8");
}

TEST_F(cli, lists_jobs_page_by_page) {
  for (const std::string name : {"a", "b", "c", "d", "e"}) {
    // Ids that the database makes are in order only from one millisecond to the next.
    insert_job(db_, name, "id", "'01890a5d-ac96-774b-bcce-b302099a805" + name + "'");
  }
  std::string seen;
  json page;
  std::vector<std::string> arguments{"jobs", "list", "--limit", "2"};
  do {
    page = parsed(arguments);
    for (const auto& entry : page["jobs"]) seen += entry["job"]["recipient"].get<std::string>();
    arguments = {
        "jobs", "list",    "--limit",
        "2",    "--after", page["next"].is_string() ? page["next"].get<std::string>() : unknown_id};
  } while (!page["next"].is_null());
  EXPECT_EQ(seen, "edcba");
}

TEST_F(cli, lists_the_queue_in_its_order) {
  insert_job(db_, "a");
  insert_job(db_, "b");
  insert_job(db_, "c", "priority", "-1");
  insert_job(db_, "later", "run_at", "now() + interval '1 hour'");
  const auto first = parsed({"jobs", "list", "--status", "queued", "--limit", "2"});
  EXPECT_EQ(first["jobs"][0]["job"]["recipient"], "c");
  EXPECT_EQ(first["jobs"][1]["job"]["recipient"], "a");
  const auto second =
      parsed({"jobs", "list", "--status", "queued", "--after", first["next"].get<std::string>()});
  ASSERT_EQ(second["jobs"].size(), 1u);
  EXPECT_EQ(second["jobs"][0]["job"]["recipient"], "b");
  EXPECT_TRUE(second["next"].is_null());
  const auto delayed = parsed({"jobs", "list", "--status", "delayed"});
  ASSERT_EQ(delayed["jobs"].size(), 1u);
  EXPECT_EQ(delayed["jobs"][0]["job"]["recipient"], "later");
  const auto run_at = delayed["jobs"][0]["job"]["run_at"].get<std::string>();
  EXPECT_TRUE(run_at.ends_with("Z")) << run_at;
}

TEST_F(cli, lists_jobs_of_every_status) {
  insert_job(db_, "done");
  const auto lease = db_.value("SELECT rowrunner.claim('letter', 'w')->>'lease'");
  db_.exec("SELECT rowrunner.succeed('letter', id, " + lease + ") FROM letter_jobs");
  insert_job(db_, "running");
  EXPECT_EQ(claim_names(db_), "running");
  insert_job(db_, "dead", "status, last_error", "'failed', E'first line\\nsecond \\033[31m line'");
  insert_job(db_, "dead too", "status, last_error", "'failed', 'x'");
  for (const auto& [status, name] : std::map<std::string, std::string>{
           {"succeeded", "done"}, {"processing", "running"}, {"failed", "dead too"}}) {
    EXPECT_EQ(parsed({"jobs", "list", "--status", status})["jobs"][0]["job"]["recipient"], name);
  }
  EXPECT_EQ(parsed({"jobs", "list", "--status", "cancelled"})["jobs"].size(), 0u);
  EXPECT_EQ(out({"jobs", "list", "--status", "cancelled"}), "no jobs\n");
  const auto table = out({"jobs", "list", "--status", "failed", "--kind", "letter"});
  EXPECT_THAT(table, HasSubstr("first line second  [31m line\n"));
  EXPECT_THAT(out({"jobs", "list", "--status", "failed", "--limit", "1"}),
              ContainsRegex("more: rowrunner jobs list --status failed --limit 1 --after "));
  const auto newest = parsed({"jobs", "list", "--status", "failed", "--limit", "1"});
  const auto older =
      parsed({"jobs", "list", "--status", "failed", "--after", newest["next"].get<std::string>()});
  EXPECT_EQ(older["jobs"][0]["job"]["recipient"], "dead");
  expect_error(run({"jobs", "list", "--status", "failed", "--after", unknown_id}), 1,
               "not among the failed ones any more");
}

TEST_F(cli, shows_a_job_with_all_that_is_known) {
  const auto id = insert_job(db_, "京都");
  const auto lease = db_.value("SELECT rowrunner.claim('letter', 'w7')->>'lease'");
  db_.exec("SELECT rowrunner.fail('letter', '" + id + "', " + lease + ", 'no paint')");
  db_.exec("INSERT INTO rowrunner.steps SELECT id, '" + id +
           "', 'sketch', '{\"file\": \"s.png\"}'"
           " FROM rowrunner.kinds WHERE kind = 'letter'");
  db_.exec("INSERT INTO rowrunner.progress SELECT id, '" + id +
           "', 3, 10, 'painting'"
           " FROM rowrunner.kinds WHERE kind = 'letter'");
  const auto text = out({"jobs", "show", id});
  EXPECT_THAT(text, ContainsRegex("recipient +京都"));
  EXPECT_THAT(text, HasSubstr("progress  3 of 10  painting"));
  EXPECT_THAT(text, ContainsRegex("sketch .*s\\.png"));
  EXPECT_THAT(text, ContainsRegex("1 .* w7 +no paint"));
  const auto shown = parsed({"jobs", "show", id});
  EXPECT_EQ(shown["kind"], "letter");
  EXPECT_EQ(shown["job"]["recipient"], "京都");
  EXPECT_EQ(shown["steps"][0]["result"]["file"], "s.png");
  EXPECT_EQ(shown["progress"]["done"], 3);
  EXPECT_EQ(shown["attempts"][0]["error"], "no paint");
  expect_error(run({"jobs", "show", unknown_id}), 1, "no job has the id " + unknown_id);
}

TEST_F(cli, retries_all_of_the_jobs_or_none) {
  const auto a = insert_job(db_, "a", "status", "'failed'");
  const auto b = insert_job(db_, "b", "status", "'failed'");
  const auto waiting = insert_job(db_, "c");
  expect_error(run({"jobs", "retry", a, unknown_id}), 1, "no job has the id");
  expect_error(run({"jobs", "retry", a, waiting}), 1, "only failed and cancelled jobs");
  EXPECT_EQ(db_.value("SELECT count(*) FROM rowrunner.failures"), "2");
  EXPECT_EQ(out({"jobs", "retry", a, b}), a + "  queued\n" + b + "  queued\n");
  EXPECT_EQ(claim_names(db_), "c a b");
}

TEST_F(cli, retries_the_failed_jobs_of_a_kind) {
  for (const std::string name : {"a", "b", "c"}) insert_job(db_, name, "status", "'failed'");
  EXPECT_EQ(parsed({"jobs", "retry", "--failed", "--kind", "letter", "--limit", "2"})["requeued"],
            2);
  EXPECT_EQ(out({"jobs", "retry", "--failed", "--kind", "letter"}), "1 job is queued again\n");
  EXPECT_EQ(lost_jobs(db_), "0 0");
}

TEST_F(cli, cancels_waiting_jobs_and_asks_running_ones) {
  insert_job(db_, "running");
  EXPECT_EQ(claim_names(db_), "running");
  const auto running = db_.value("SELECT id FROM letter_jobs");
  const auto waiting = insert_job(db_, "waiting");
  const auto result = parsed({"jobs", "cancel", running, waiting, "--reason", "not \"needed\""});
  EXPECT_EQ(result["jobs"][0]["result"], "requested");
  EXPECT_EQ(result["jobs"][1]["result"], "cancelled");
  EXPECT_EQ(db_.value("SELECT last_error FROM letter_jobs WHERE id = '" + waiting + "'"),
            "cancelled: not \"needed\"");
  expect_error(run({"jobs", "cancel", waiting}), 1,
               "is failed already: there is nothing to cancel");
  expect_error(run({"jobs", "cancel", unknown_id}), 1, "no job has the id");
  expect_error(run({"jobs", "cancel", running, "--reason", "\xC3("}), 1, "--reason: broken UTF-8");
}

TEST_F(cli, stats_count_what_waits_runs_and_failed) {
  db_.exec(
      "INSERT INTO letter_jobs (batch_id, recipient, run_at)"
      " SELECT 'p', 's' || i, now() - interval '90 seconds' FROM generate_series(1, 3) i");
  insert_job(db_, "running", "priority", "-1");
  EXPECT_EQ(claim_names(db_, 1), "running");
  insert_job(db_, "later", "run_at", "now() + interval '1 hour'");
  insert_job(db_, "dead", "status", "'failed'");
  db_.exec(
      "INSERT INTO rowrunner.counters (minute, kind, worker, succeeded, refused) VALUES"
      " (date_trunc('minute', now()), 1, 'w1', 5, 1),"
      " (date_trunc('minute', now()), 1, 'w2', 6, 0), (now() - interval '2 hours', 1, 'w1', 9, 9)");
  db_.exec(
      "INSERT INTO rowrunner.workers (worker, kinds, version, seen_at) VALUES"
      " ('w1', '{letter}', '1', now()), ('w2', '{other}', '1', now()),"
      " ('w3', '{letter}', '1', now() - interval '1 hour')");
  const auto kind = parsed({"stats"})["kinds"][0];
  EXPECT_EQ(kind["waiting"], 3);
  EXPECT_EQ(kind["delayed"], 1);
  EXPECT_EQ(kind["running"], 1);
  EXPECT_EQ(kind["failed"], 1);
  EXPECT_EQ(kind["workers"], 2);  // and the one that claimed in SQL
  EXPECT_GE(kind["oldest_waiting_seconds"].get<double>(), 90);
  EXPECT_EQ(kind["last_hour"]["succeeded"], 11);
  EXPECT_EQ(kind["last_hour"]["refused"], 1);
  EXPECT_THAT(out({"stats"}), ContainsRegex("letter +running +2 +3 +1m [0-9]+s +1 +0 +1 +1 "));
  const auto metrics = out({"stats", "--prometheus"});
  for (const char* line :
       {"rowrunner_waiting_jobs{kind=\"letter\"} 3", "rowrunner_delayed_jobs{kind=\"letter\"} 1",
        "rowrunner_running_jobs{kind=\"letter\"} 1", "rowrunner_failed_jobs{kind=\"letter\"} 1",
        "rowrunner_workers{kind=\"letter\"} 2", "rowrunner_paused{kind=\"letter\"} 0",
        "rowrunner_last_hour_jobs{kind=\"letter\",event=\"succeeded\"} 11"}) {
    EXPECT_THAT(metrics, HasSubstr(std::string("\n") + line + "\n"));
  }
  EXPECT_THAT(metrics,
              ContainsRegex("\nrowrunner_oldest_waiting_seconds.kind=.letter.. (9|1[01])[0-9]"));
}

TEST_F(cli, stats_can_be_watched_until_a_signal) {
  child_process watch({rowrunner_binary(), "stats", "--watch", "0.1", "--json"}, environment());
  ASSERT_TRUE(watch.wait_for_output_line("\"waiting\":0")) << watch.err();
  insert_job(db_, "a");
  ASSERT_TRUE(watch.wait_for_output_line("\"waiting\":1")) << watch.err();
  watch.kill(SIGINT);
  EXPECT_EQ(watch.wait(), 0);
  EXPECT_EQ(watch.err(), "");
}

TEST_F(cli, asks_for_rights_that_are_missing) {
  const auto role = "nobody_" + db_.name();
  db_.exec("CREATE ROLE " + role + " LOGIN PASSWORD 'x'");
  auto url = db_.url_of(role);
  const auto at = url.find('@');
  const auto colon = url.find(':', url.find("://") + 3);
  url = url.substr(0, std::min(colon, at)) + ":x" + url.substr(at);
  expect_error(run({"stats", "--database-url", url}), 1, "permission denied for schema rowrunner");
  db_.exec("DROP ROLE " + role);
}

}  // namespace
}  // namespace rowrunner::testing
