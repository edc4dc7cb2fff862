#pragma once

#include <compare>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "api/served_kind.hpp"

namespace rowrunner::api {

/// An id is unique in its table only.
struct job_key {
  std::string kind;
  std::string id;

  auto operator<=>(const job_key&) const = default;
};

struct job_progress {
  std::int64_t done = 0;
  std::int64_t total = 0;
  std::string message;

  bool operator==(const job_progress&) const = default;
};

/// A job as viewers see it; see db/queries/api/watched_jobs.sql.
struct job_state {
  job_key key;
  /// Empty: there is no such job.
  std::string status;
  int attempts = 0;
  int max_attempts = 0;
  /// Also where the table calls it failed.
  bool cancelled = false;
  std::optional<std::string> last_error;
  std::string created_at;
  std::string updated_at;
  std::string public_id;
  std::optional<std::string> owner;
  std::optional<std::string> document;
  std::optional<job_progress> progress;
  std::optional<std::string> estimated_end;
  /// Of tables that have such columns.
  std::optional<std::string> type;
  std::optional<std::int64_t> total_pages;
  std::optional<std::int64_t> retry_count;
  /// A second user whose job it is.
  std::optional<std::string> co_owner;

  bool exists() const { return !status.empty(); }
  bool has_ended() const;
  bool operator==(const job_state&) const = default;
};

job_state read_job_state(const std::string& kind, const pg::result& rows, int row);

/// For the page: {"kind", "id", "status", …, "progress"}.
nlohmann::ordered_json event_json(const job_state& of);

/// As document 003 writes it.
nlohmann::ordered_json document_json(const job_state& of);

}  // namespace rowrunner::api
