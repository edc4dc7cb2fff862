#pragma once

#include <string>

#include "support/watched_database.hpp"

namespace rowrunner::testing {

/// A database that has the tables of PDF batches.
class pdf_database : public watched_database {
 public:
  pdf_database() : watched_database(contents::workloads) { watch("pdf_batch_jobs"); }

  std::string status(const std::string& job_id) {
    return value("SELECT status FROM pdf_batch_jobs WHERE job_id = '" + job_id + "'");
  }
  std::string error(const std::string& job_id) {
    return value("SELECT last_error FROM pdf_batch_jobs WHERE job_id = '" + job_id + "'");
  }
  bool reaches(const std::string& job_id, const std::string& wanted) {
    return becomes("SELECT status FROM pdf_batch_jobs WHERE job_id = '" + job_id + "'", wanted);
  }
  void add(const std::string& job_id, const std::string& pdf_path, const std::string& user = "") {
    exec("INSERT INTO pdf_batch_jobs (job_id, pdf_path, user_id) VALUES ('" + job_id + "', '" +
         pdf_path + "', nullif('" + user + "', ''))");
  }
};

}  // namespace rowrunner::testing
