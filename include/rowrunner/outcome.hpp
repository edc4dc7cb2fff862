#pragma once

#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace rowrunner {

/// A statement that runs in the same transaction that ends its job or stores its step: it happens
/// exactly once with it, and not at all otherwise. Parameters are text; nothing means NULL; what
/// PostgreSQL cannot store (NUL, broken UTF-8) becomes U+FFFD. It runs as the role of the worker,
/// which needs a GRANT on what it writes, under the search_path of that role. One that the database
/// refuses fails the attempt with the reason, and nothing of the transaction is kept. It shares the
/// transaction, and afterwards the session, with others: it cannot begin or end one, nor COPY, and
/// should SET nothing but LOCAL.
struct effect {
  std::string sql;
  std::vector<std::optional<std::string>> params;
};

/// What a step gives: the result that later attempts get, and what is to be written with it.
struct step_result {
  step_result() = default;
  template <typename Json>
  requires(!std::is_same_v<std::remove_cvref_t<Json>, step_result> &&
           std::is_constructible_v<nlohmann::json, Json>)
      step_result(Json&& result)  // NOLINT(bugprone-forwarding-reference-overload): see requires
      : value(std::forward<Json>(result)) {}
  step_result(nlohmann::json result, std::vector<effect> with)
      : value(std::move(result)), effects(std::move(with)) {}

  nlohmann::json value;
  std::vector<effect> effects;
};

/// The job is done.
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
  std::vector<effect> effects{};
};

/// Not now: the job goes back, uncharged, and runs again after that time.
struct snoozed {
  std::chrono::milliseconds after;
  std::vector<effect> effects{};
};

/// The job is no longer wanted and ends as cancelled.
struct cancelled {
  std::string reason;
  std::vector<effect> effects{};
};

/// What a handler returns, with effects that commit with this end of the attempt. An exception that
/// leaves a handler counts as failed with its message. Effects are the handler's: none of them runs
/// if the job ends otherwise (it is rescued, stopped, or cancelled before the handler returned).
using outcome = std::variant<succeeded, failed, snoozed, cancelled>;

inline outcome final_failure(std::string error) {
  return failed{std::move(error), std::nullopt, true};
}
inline outcome retry_after(std::string error, std::chrono::milliseconds after) {
  return failed{std::move(error), after, false};
}

}  // namespace rowrunner
