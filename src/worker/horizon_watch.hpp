#pragma once

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <optional>

#include "common/log.hpp"
#include "common/pg/session.hpp"
#include "common/schema/held_horizon.hpp"

namespace rowrunner {

/// Tells in the log who keeps dead rows from being removed. The engine stays fast meanwhile, but
/// the tables grow, and only the database's own people can end it.
class horizon_watch {
 public:
  using clock = std::chrono::steady_clock;
  /// So long nothing more is said about the same holder.
  static constexpr std::chrono::minutes between_warnings{10};

  /// An alarm of zero: never.
  horizon_watch(pg::session& session, logger& log, std::chrono::milliseconds alarm);

  /// Looks once. Throws pg::error.
  boost::asio::awaitable<void> look(clock::time_point now = clock::now());

 private:
  pg::session& session_;
  logger& log_;
  std::chrono::milliseconds alarm_;
  pg::statement holders_;
  /// Who was warned of, as name and since when.
  std::string told_of_;
  clock::time_point tell_again_{};
};

}  // namespace rowrunner
