#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rowrunner/enqueue.hpp>

#include "support/jobs.hpp"
#include "support/letters.hpp"
#include "support/paths.hpp"
#include "support/process.hpp"
#include "support/shadows.hpp"
#include "support/worker_thread.hpp"

namespace rowrunner::testing {
namespace {

using ::testing::HasSubstr;

class search_path : public ::testing::Test {
 protected:
  static std::string command(const test_database& db, std::vector<std::string> words) {
    words.insert(words.begin(), rowrunner_binary());
    const auto done = run_process(words, {{"DATABASE_URL", db.url()}});
    return done.exit_code == 0 ? "" : words[1] + ": " + done.err;
  }
};

TEST_F(search_path, does_not_matter_to_migrate) {
  test_database db(test_database::contents::empty);
  cast_shadows(db);
  EXPECT_EQ(command(db, {"migrate"}), "");
  EXPECT_EQ(command(db, {"migrate"}), "");
  EXPECT_EQ(command(db, {"migrate", "--status"}), "");
  EXPECT_EQ(command(db, {"migrate", "--dry-run"}), "");
  db.exec(std::string(letters_schema));
  EXPECT_EQ(insert_job(db, "a").size(), 36U);
  EXPECT_EQ(claim_names(db), "a");
}

// Jobs that succeed with an effect, fail, and have a step, under names that the effect finds only
// by the path of the database.
void run_jobs(jobs_database& db, const worker_options& options) {
  db.exec(
      "CREATE SCHEMA mine; CREATE TABLE mine.words (word pg_catalog.text);"
      "ALTER DATABASE \"" +
      db.name() + "\" SET search_path = shadow, pg_catalog, mine, public");
  for (const std::string name : {"one", "two", "dead"}) db.add(name);
  {
    worker_thread worker(options, [](rowrunner::worker& w) {
      w.add_blocking(test_kind(), [](blocking_job& job) -> outcome {
        if (job.text("name") == "dead") return failed{"no", {}, true};
        job.step("one", [] { return nlohmann::json(1); });
        job.progress(1, 2, "half");
        return succeeded{{effect{"INSERT INTO words (word) VALUES ($1)", {job.text("name")}}}};
      });
    });
    EXPECT_TRUE(db.becomes("SELECT count(*) FROM test_jobs WHERE status = 'succeeded'", "2"));
    EXPECT_TRUE(db.reaches("dead", "failed"));
  }
  EXPECT_EQ(db.value("SELECT string_agg(word, ' ' ORDER BY word) FROM mine.words"), "one two");
  EXPECT_EQ(db.value("SELECT count(*) FROM rowrunner.workers"), "0") << "it left in order";
}

TEST_F(search_path, does_not_matter_to_a_worker_and_its_effects_have_their_own) {
  jobs_database db;
  cast_shadows(db);
  run_jobs(db, worker_thread::options_for(db));
}

TEST_F(search_path, does_not_matter_to_a_worker_behind_a_pooler) {
  jobs_database db;
  cast_shadows(db);
  const pooler front(server_url());
  auto options = worker_thread::options_for(db);
  options.database_url = front.through(db.url());
  options.pooled = true;
  run_jobs(db, options);
}

TEST_F(search_path, does_not_matter_to_commands) {
  test_database db;
  const auto failed = insert_job(db, "dead", "status", "'failed'");
  const auto queued = insert_job(db, "queued");
  const auto other = insert_job(db, "other");
  insert_job(db, "later", "run_at", "now() + interval '1 day'");
  cast_shadows(db);
  const std::vector<std::vector<std::string>> commands{
      {"stats"},
      {"stats", "--json"},
      {"jobs", "list"},
      {"jobs", "list", "--status", "failed"},
      {"jobs", "list", "--status", "queued"},
      {"jobs", "show", failed},
      {"jobs", "show", queued},
      {"jobs", "retry", failed},
      {"jobs", "cancel", queued},
      {"jobs", "retry", "--failed", "--kind", "letter"},
      {"kinds", "list"},
      {"kinds", "pause", "letter"},
      {"kinds", "resume", "letter"}};
  for (const auto& words : commands) EXPECT_EQ(command(db, words), "");
  EXPECT_EQ(lost_jobs(db), "0 0");
}

TEST_F(search_path, does_not_matter_to_those_who_enqueue_in_c_plus_plus) {
  test_database db;
  const auto dead = insert_job(db, "dead", "status", "'failed'");
  cast_shadows(db);
  pqxx::connection fresh(db.url());
  pqxx::work tx(fresh);
  const auto table = find_job_table(tx, "letter");
  new_job job;
  job.columns = {{"batch_id", "p"}, {"recipient", "a"}};
  job.delay = std::chrono::seconds{1};
  EXPECT_TRUE(enqueue(tx, table, job).has_value());
  job.columns = {{"batch_id", "p"}, {"recipient", "b"}};
  job.delay.reset();
  job.run_at = std::chrono::system_clock::now();
  EXPECT_TRUE(enqueue(tx, table, job).has_value());
  std::vector<std::vector<text_value>> rows;
  for (int i = 0; i < 300; ++i) rows.push_back({"many", std::to_string(i)});
  EXPECT_EQ(enqueue_many(tx, table, {"batch_id", "recipient"}, rows).inserted, 300);
  rows.push_back({"many", "300"});
  EXPECT_EQ(enqueue_many(tx, table, {"batch_id", "recipient"}, rows).inserted, 1);
  EXPECT_THROW(find_job_table(tx, "unknown"), bad_input);
  EXPECT_TRUE(requeue(tx, "letter", dead));
  EXPECT_EQ(requeue_failed(tx, "letter", 10), 0);
  tx.commit();
  EXPECT_EQ(lost_jobs(db), "0 0");
}

TEST_F(search_path, does_not_matter_to_the_sql_functions) {
  test_database db;
  for (const std::string name : {"a", "b", "c"}) insert_job(db, name);
  cast_shadows(db);
  pqxx::connection fresh(db.url());
  const auto call = [&](const std::string& sql) {
    pqxx::work tx(fresh);
    const auto answer = tx.exec("SELECT " + sql);
    tx.commit();
    return answer.empty() ? "" : answer[0][0].as<std::string>("");
  };
  const auto claimed = [&] {
    const auto job = nlohmann::json::parse(call("rowrunner.claim('letter', 'w')"));
    const auto lease = job["lease"].is_string() ? job["lease"].get<std::string>()
                                                : std::to_string(job["lease"].get<std::int64_t>());
    return "'" + job["id"].get<std::string>() + "', '" + lease + "'";
  };
  EXPECT_EQ(call("rowrunner.succeed('letter', " + claimed() + ")"), "t");
  EXPECT_EQ(call("rowrunner.release('letter', " + claimed() + ")"), "t");
  EXPECT_EQ(call("rowrunner.fail('letter', " + claimed() + ", 'no')"), "queued");
  EXPECT_EQ(call("rowrunner.move_due('{1}')"), "0");
  call("rowrunner.sweep()");
  call("rowrunner.repair('letter')");
  call("rowrunner.attach('public.letter_jobs', 'letter')");
  EXPECT_EQ(lost_jobs(db), "0 0");
  call("rowrunner.new_id()");
}

}  // namespace
}  // namespace rowrunner::testing
