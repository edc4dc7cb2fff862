#pragma once

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <optional>
#include <string>

namespace rowrunner::api {

struct services;

/// Whether the database serves, as it was last seen. Health routes ask this and not the database,
/// so they answer at once whatever state it is in.
class database_watch {
 public:
  using clock = std::chrono::steady_clock;

  static constexpr std::chrono::seconds patience{10};

  /// It answered, and said why its schema does not serve this binary, if so.
  void answered(clock::time_point now, std::optional<std::string> refusal);

  /// Why requests cannot be served now; nothing if they can.
  std::optional<std::string> problem(clock::time_point now) const;

 private:
  std::optional<clock::time_point> last_answer_;
  std::optional<std::string> refusal_;
};

/// Asks once: gives the reason why the schema does not serve this binary. Throws pg::error if there
/// is no answer.
boost::asio::awaitable<std::optional<std::string>> ask_schema(services& with);

/// Asks every two seconds, for ever.
boost::asio::awaitable<void> watch_database(services& with);

}  // namespace rowrunner::api
