// One state machine, said three times: in C++ (common/job_status.hpp), in SQL (CHECK, triggers,
// statements) and in the diagram of ARCHITECTURE.md. They agree.
#include "common/schema/job_status.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

#include "support/jobs_database.hpp"
#include "support/paths.hpp"
#include "support/worker_thread.hpp"

namespace rowrunner::testing {
namespace {

using ::testing::HasSubstr;

std::set<std::string> in_the_table() {
  std::set<std::string> changes;
  for (const auto& change : status_changes) {
    changes.insert(std::string(change.from) + " > " + std::string(change.to));
  }
  return changes;
}

TEST(job_status, the_diagram_shows_the_same_changes) {
  std::ifstream file(source_dir() + "/ARCHITECTURE.md");
  std::set<std::string> drawn;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string from, arrow, to;
    if (!(words >> from >> arrow >> to) || arrow != "-->" || from == "[*]") continue;
    drawn.insert(from + " > " + to.substr(0, to.find(':')));
  }
  EXPECT_EQ(drawn, in_the_table());
}

TEST(job_status, the_engine_makes_these_changes_and_no_others) {
  jobs_database db;
  db.add("ok");
  db.add("retried", "flaky", 0, 1);
  db.add("failed", "fail", 0, 0, 1);
  db.add("cancelled", "cancelled");
  const auto waiting = db.add("cancelled before it ran");
  db.value("SELECT rowrunner.cancel('test', '" + waiting + "')");
  auto options = worker_thread::options_for(db);
  options.drain = true;
  worker_thread(options, [](worker& w) { w.add(test_kind(), run_test_job); }).join();
  db.exec(
      "SELECT rowrunner.requeue('test', id) FROM test_jobs WHERE status IN"
      " ('failed', 'cancelled')");
  db.exec("SELECT rowrunner.enqueue_again('test', id) FROM test_jobs WHERE status = 'succeeded'");
  std::set<std::string> made;
  for (const auto& row : db.rows("SELECT DISTINCT before || ' > ' || after FROM history")) {
    made.insert(row[0].as<std::string>());
  }
  EXPECT_EQ(made, in_the_table());
}

TEST(job_status, the_check_of_a_job_table_knows_the_words_and_no_others) {
  test_database db;
  const auto check = db.value(
      "SELECT pg_get_constraintdef(oid) FROM pg_constraint"
      " WHERE conrelid = 'letter_jobs'::regclass AND conname = 'letter_jobs_status_check'");
  std::set<std::string> allowed;
  std::istringstream parts(check);
  std::string between, word;
  while (std::getline(parts, between, '\'') && std::getline(parts, word, '\''))
    allowed.insert(word);
  std::set<std::string> words(job_status::all.begin(), job_status::all.end());
  words.erase(std::string(job_status::cancelled));  // the document's table writes failed instead
  EXPECT_EQ(allowed, words);
}

TEST(job_status, nothing_but_a_claim_makes_a_job_processing) {
  jobs_database db;
  db.add("a");
  for (const auto from : job_status::all) {
    if (from == job_status::processing) continue;
    db.exec("UPDATE test_jobs SET status = '" + std::string(from) + "'");
    try {
      db.exec("UPDATE test_jobs SET status = 'processing'");
      ADD_FAILURE() << from << " became processing without a lease";
    } catch (const pqxx::sql_error& refused) {
      EXPECT_THAT(refused.what(), HasSubstr("only a claim makes it so"));
    }
  }
}

}  // namespace
}  // namespace rowrunner::testing
