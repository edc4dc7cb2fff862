#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace rowrunner {

/// A statement that runs in the same transaction that ends its job: it happens exactly once if the
/// job succeeds, and not at all otherwise. Parameters are text; nothing means NULL. It runs as the
/// role of the worker, which needs a GRANT on what it writes, under the search_path of that role.
struct effect {
  std::string sql;
  std::vector<std::optional<std::string>> params;
};

/// The job is done. An effect that the database refuses fails the attempt.
struct succeeded {
  std::vector<effect> effects;
};

/// The attempt failed and is charged. The job runs again while attempts are left: after the time
/// that the kind's retry policy gives, or after `after` if the other side named a time. With
/// `final` it ends at once.
struct failed {
  std::string error;
  std::optional<std::chrono::milliseconds> after;
  bool final = false;
};

/// Not now: the job goes back, uncharged, and runs again after that time.
struct snoozed {
  std::chrono::milliseconds after;
};

/// The job is no longer wanted and ends as cancelled.
struct cancelled {
  std::string reason;
};

/// What a handler returns. An exception that leaves a handler counts as failed with its message.
using outcome = std::variant<succeeded, failed, snoozed, cancelled>;

inline outcome final_failure(std::string error) {
  return failed{std::move(error), std::nullopt, true};
}
inline outcome retry_after(std::string error, std::chrono::milliseconds after) {
  return failed{std::move(error), after, false};
}

}  // namespace rowrunner
