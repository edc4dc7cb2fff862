#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "support/job_table.hpp"
#include "support/jobs.hpp"
#include "support/postgres.hpp"

namespace rowrunner::testing {

/// Jobs of the kind `part` are parents, the kind `sum` is a plain one. Ids are known by names.
class joins_fixture : public ::testing::Test {
 protected:
  joins_fixture() {
    db_.exec("CREATE TABLE part (" + job_columns() + "); CREATE TABLE sum (" + job_columns() +
             "); SELECT rowrunner.attach('part', kind => 'part', joins => true);"
             "SELECT rowrunner.attach('sum', kind => 'sum')");
  }

  static std::string ids(const std::string& kind, const std::string& names) {
    return "ARRAY(SELECT id FROM " + kind + " WHERE name = ANY ('{" + names + "}') ORDER BY name)";
  }
  static std::string id(const std::string& kind, const std::string& name) {
    return "(SELECT id FROM " + kind + " WHERE name = '" + name + "')";
  }
  static std::string insert(const std::string& kind, const std::string& name,
                            const std::string& run_at = "now()") {
    return "INSERT INTO " + kind + " (name, run_at) VALUES ('" + name + "', " + run_at + ");";
  }
  static std::string after(const std::string& kind, const std::string& child,
                           const std::string& parents, const std::string& more = "") {
    return "SELECT rowrunner.run_after('" + kind + "', " + id(kind, child) + ", 'part', " +
           ids("part", parents) + more + ");";
  }

  void add(const std::string& names) {
    db_.exec("INSERT INTO part (name) SELECT unnest('{" + names + "}'::text[])");
  }
  /// Enqueues a job that waits for these parts; gives what run_after answered.
  std::string join(const std::string& child, const std::string& parents,
                   const std::string& more = "", const std::string& kind = "sum") {
    return db_.value(insert(kind, child) + after(kind, child, parents, more));
  }
  std::string claim(const std::string& kind) {
    return db_.value("SELECT rowrunner.claim('" + kind + "', 'tester')->>'name'");
  }
  /// Claims a part, which must be that one, and ends it as the statements of a worker do, without
  /// firing anything.
  void end(const std::string& name, const std::string& status = "succeeded") {
    ASSERT_EQ(claim("part"), name);
    db_.exec("UPDATE part SET status = '" + status + "', lease = NULL WHERE name = '" + name + "'");
  }
  static std::string call(const std::string& function, const std::string& name) {
    return "SELECT rowrunner." + function + "('part', id, lease" +
           (function == "fail" ? ", 'boom', final => true" : "") + ") FROM part WHERE name = '" +
           name + "'";
  }
  std::string fire() { return db_.value("SELECT rowrunner.fire_joins()"); }
  std::string status(const std::string& kind, const std::string& name) {
    return db_.value("SELECT status FROM " + kind + " WHERE name = '" + name + "'");
  }
  bool held(const std::string& kind, const std::string& name) {
    return db_.value(
               "SELECT status = 'queued' AND run_at = 'infinity' AND EXISTS (SELECT FROM "
               "rowrunner.waits WHERE child_id = id) FROM " +
               kind + " WHERE name = '" + name + "'") == "t";
  }
  std::string left() {
    return db_.value(
        "SELECT (SELECT count(*) FROM rowrunner.waits) || ' ' || (SELECT count(*) FROM "
        "rowrunner.edges) || ' ' || (SELECT count(*) FROM rowrunner.join_candidates)");
  }
  void TearDown() override {
    for (const std::string kind : {"part", "sum"}) {
      const auto attached = "SELECT kind FROM rowrunner.kinds WHERE kind = '" + kind + "'";
      if (db_.value(attached) == kind) {
        EXPECT_EQ(lost_jobs(db_, kind), "0 0");
      }
    }
  }

  test_database db_;
};

}  // namespace rowrunner::testing
