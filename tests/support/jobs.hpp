#pragma once

#include <gtest/gtest.h>

#include <string>

#include "support/postgres.hpp"

namespace rowrunner::testing {

/// Invariant I9 of a job table: how many queued jobs have no entry that a claim would honour, and
/// how many processing ones no lease that names them. "0 0" is right.
inline std::string lost_jobs(test_database& db, const std::string& table = "letter_jobs") {
  return db.value(
      "SELECT (SELECT count(*) FROM " + table +
      " j WHERE status = 'queued' AND run_at < 'infinity'"
      "   AND NOT EXISTS (SELECT FROM rowrunner.queue q WHERE q.job_id = j.id"
      "                   AND q.priority = j.priority AND j.run_at <= clock_timestamp())"
      "   AND NOT EXISTS (SELECT FROM rowrunner.delayed d WHERE d.job_id = j.id"
      "                   AND d.priority = j.priority AND d.run_at >= j.run_at))"
      " || ' ' || (SELECT count(*) FROM " +
      table +
      " j WHERE status = 'processing'"
      "   AND NOT EXISTS (SELECT FROM rowrunner.leases l"
      "                   WHERE l.lease = j.lease AND j.id = ANY (l.job_ids)))");
}

/// Inserts a letter job and returns its id. `more` names further columns, as in
/// "priority, run_at", and `values` their SQL.
inline std::string insert_job(test_database& db, const std::string& name,
                              const std::string& more = "", const std::string& values = "") {
  return db.value("INSERT INTO letter_jobs (batch_id, recipient" +
                  (more.empty() ? "" : ", " + more) + ") VALUES ('batch', '" + name + "'" +
                  (values.empty() ? "" : ", " + values) + ") RETURNING id");
}

/// The recipients of up to `at_most` jobs, claimed one after the other through rowrunner.claim, as
/// "a b c".
inline std::string claim_names(test_database& db, int at_most = 100,
                               const std::string& lease_for = "10 seconds") {
  std::string out;
  for (int i = 0; i < at_most; ++i) {
    const auto name = db.value("SELECT rowrunner.claim('letter', 'tester', 1, '" + lease_for +
                               "')->>'recipient'");
    if (name.empty()) break;
    out += (out.empty() ? "" : " ") + name;
  }
  return out;
}

/// SQLSTATE of a statement that must fail, and "" if it does not.
inline std::string sqlstate_of(test_database& db, const std::string& sql) {
  try {
    db.exec(sql);
  } catch (const pqxx::sql_error& error) {
    return error.sqlstate();
  }
  return "";
}

/// The complaint about a statement that must fail, and "" if it does not.
inline std::string error_of(test_database& db, const std::string& sql) {
  try {
    db.exec(sql);
  } catch (const pqxx::sql_error& error) {
    return error.what();
  }
  return "";
}

}  // namespace rowrunner::testing
