#pragma once

#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "admin/transaction.hpp"
#include "admin/wait_reason.hpp"
#include "common/schema/kind_info.hpp"

namespace rowrunner::admin {

/// A job with all that is kept about it. Times are UTC with Z.
struct job_details {
  std::string kind;
  /// The row of the job table.
  nlohmann::ordered_json job;
  /// A list of {step, result, created_at}, in the order in which they were done.
  nlohmann::ordered_json steps;
  /// {done, total, message, updated_at}, or null.
  nlohmann::ordered_json progress;
  /// A list of {attempt, worker, started_at, ended_at, error}.
  nlohmann::ordered_json attempts;
  /// Why it does not run; nothing if it does not wait.
  std::optional<std::string> waits_because;
  /// The same, one by one.
  std::vector<wait_cause> waits;
};

/// A job by its id, of that kind or of any; "waits because" names what blocks VACUUM for longer
/// than `alarm`. Throws error{no_such_job}, error{unknown_kind} and error{table_locked}.
asio::awaitable<job_details> show_job(pg::session& session, std::string id,
                                      std::chrono::milliseconds alarm,
                                      std::optional<std::string> kind = std::nullopt);

struct found_job {
  kind_info kind;
  nlohmann::ordered_json row;
};

/// Looks for a job in the table of each kind, by primary key. Throws error{no_such_job}.
asio::awaitable<found_job> find_job(transaction& tx, const std::vector<kind_info>& kinds,
                                    std::string id);

}  // namespace rowrunner::admin
