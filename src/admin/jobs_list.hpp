#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "admin/transaction.hpp"

namespace rowrunner::admin {

struct jobs_filter {
  std::optional<std::string> kind;
  /// A job's status, or "delayed".
  std::optional<std::string> status;
  int limit = 50;
  /// `next` of the page before.
  std::optional<std::string> after;
};

struct listed_job {
  std::string kind;
  /// The row of the job table. Times are UTC with Z.
  nlohmann::ordered_json job;
};

struct jobs_page {
  std::vector<listed_job> jobs;
  /// Where the next page begins; nothing if this is the last one.
  std::optional<std::string> next;
};

/// One page of jobs: the waiting ones in the order of the queue, delayed ones by their time, failed
/// ones by the time of failure, all others by id, the newest first. Throws error{unknown_kind},
/// error{bad_cursor}, error{no_paging}, error{cursor_gone} and error{table_locked}.
asio::awaitable<jobs_page> list_jobs(pg::session& session, jobs_filter filter);

}  // namespace rowrunner::admin
