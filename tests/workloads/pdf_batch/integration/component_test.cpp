#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <sstream>

#include "support/command.hpp"
#include "support/paths.hpp"
#include "support/permissions.hpp"
#include "support/process.hpp"
#include "workloads/pdf_batch/support/pdf_database.hpp"

namespace rowrunner::testing {
namespace {

using ::testing::ContainsRegex;
using ::testing::HasSubstr;

std::string kept(const std::string& name) {
  std::ifstream file(source_dir() + "/tests/workloads/pdf_batch/" + name);
  return std::string(std::istreambuf_iterator<char>(file), {});
}

TEST(pdf_batch_component, has_the_schema_that_is_kept) {
  auto expected = kept("schema.sql");
  expected.erase(0, expected.find('\n') + 1);  // the line that says where it comes from
  test_database db(test_database::contents::empty);
  command(db).out({"migrate", "--only", "pdf_batch"});
  const auto dump =
      run_process({source_dir() + "/scripts/dump-schema", db.url(), "--exclude-schema=rowrunner"});
  ASSERT_EQ(dump.exit_code, 0) << dump.err;
  EXPECT_THAT(dump.out, HasSubstr("CREATE TABLE public.pdf_batch_jobs"));
  EXPECT_TRUE(expected == dump.out) << "schema.sql is out of date: run scripts/dump-schema";
}

TEST(pdf_batch_component, has_a_handler_of_its_name) {
  const pdf_database db;
  EXPECT_THAT(command(db).error(2, {"worker", "--handler", "other=nope"}),
              ContainsRegex("there are .*pdf_batch, .*noop"));
}

TEST(pdf_batch_component, has_the_permissions_of_the_list) {
  pdf_database db;
  std::istringstream all(permissions_in(db.connection()));
  std::string line, now;
  while (std::getline(all, line)) {
    if (line.find(" public.pdf_batch") != std::string::npos) now += line + '\n';
  }
  if (now != kept("permissions.txt")) std::ofstream("pdf_batch_permissions.txt.new") << now;
  EXPECT_EQ(now, kept("permissions.txt")) << "permissions changed: if that is meant, update "
                                             "permissions.txt (the file .new has what is true)";
}

TEST(pdf_batch_component, the_table_refuses_what_is_no_job) {
  pdf_database db;
  for (const char* id : {"", ".", "..", "a/b", "a b"}) {
    EXPECT_THROW(db.add(id, "x.pdf"), pqxx::sql_error) << id;
  }
  EXPECT_THROW(db.add("a", ""), pqxx::sql_error);
  db.add("a", "x.pdf");
  EXPECT_THROW(db.add("a", "x.pdf"), pqxx::sql_error);
}

/// A worker that claims the job, stores a page or does not, and is never heard of again.
std::string lose_worker(pdf_database& db, const std::string& page) {
  const auto lease = db.value("SELECT c->>'lease' FROM rowrunner.claim('pdf_batch', 'w') c");
  const auto id = db.value("SELECT id FROM pdf_batch_jobs");
  if (!page.empty()) {
    db.exec("SELECT rowrunner.step('pdf_batch', '" + id + "', " + lease + ", '" + page +
            "', '{}')");
  }
  db.exec("UPDATE rowrunner.leases SET expires_at = now() - interval '1 s'");
  db.exec("SELECT rowrunner.rescue((SELECT id FROM rowrunner.kinds WHERE kind = 'pdf_batch'))");
  return db.value("SELECT concat_ws(' ', status, attempts) FROM pdf_batch_jobs");
}

TEST(pdf_batch_component, a_worker_is_lost_three_times_at_most_without_a_new_page) {
  pdf_database db;
  db.add("a", "a.pdf");
  for (int page = 1; page <= 5; ++page) {
    EXPECT_EQ(lose_worker(db, "page " + std::to_string(page)), "queued 0");
  }
  EXPECT_EQ(lose_worker(db, ""), "queued 1");
  EXPECT_EQ(lose_worker(db, "page 6"), "queued 1");
  EXPECT_EQ(lose_worker(db, ""), "queued 2");
  EXPECT_EQ(lose_worker(db, ""), "failed 3");
  EXPECT_THAT(db.error("a"), HasSubstr("was lost"));
}

}  // namespace
}  // namespace rowrunner::testing
