#pragma once

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <optional>

#include "common/log.hpp"
#include "common/pg/session.hpp"
#include "common/schema/vacuum_blocker.hpp"

namespace rowrunner {

/// Logs which session blocks VACUUM. The engine stays fast meanwhile, but the tables grow, and only
/// a DBA can end it.
class vacuum_watch {
 public:
  using clock = std::chrono::steady_clock;
  /// How long the same blocker is not named again.
  static constexpr std::chrono::minutes between_warnings{10};

  /// An alarm of zero: never.
  vacuum_watch(pg::session& session, logger& log, std::chrono::milliseconds alarm);

  /// Polls once. Throws pg::error.
  boost::asio::awaitable<void> poll(clock::time_point now = clock::now());

 private:
  pg::session& session_;
  logger& log_;
  std::chrono::milliseconds alarm_;
  pg::statement blockers_;
  /// What was warned of, as name and since when.
  std::string told_of_;
  clock::time_point tell_again_{};
};

}  // namespace rowrunner
