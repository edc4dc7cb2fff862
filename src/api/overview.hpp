#pragma once

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "admin/stats.hpp"

namespace rowrunner::api {

struct services;

/// Where a waiting job becomes a problem that the page shows.
constexpr std::chrono::seconds too_old{300};

/// Jobs that ended in each minute of the last hour, the oldest first.
struct minute_counts {
  std::vector<std::int64_t> succeeded = std::vector<std::int64_t>(60);
  std::vector<std::int64_t> failed = std::vector<std::int64_t>(60);
};

/// {"n", "capped"}: a count that stopped at a limit stands for more.
nlohmann::ordered_json count_json(std::int64_t n, std::int64_t limit);

/// What is wrong, in the order of urgency: a list of {code, kind, message}.
nlohmann::ordered_json problems_of(const admin::database_stats& stats,
                                   std::chrono::milliseconds vacuum_alarm);

struct overview {
  nlohmann::ordered_json json;
  admin::database_stats stats;
  /// The database did not answer since.
  bool stale = false;
};

/// What the first page and the metrics show, as it was last read. Many viewers share one reading a
/// second; if the database does not answer, they get the last one, marked as stale.
class overview_board {
 public:
  using clock = std::chrono::steady_clock;

  /// Throws what the reading throws if there has never been one.
  boost::asio::awaitable<std::shared_ptr<const overview>> get(services& with);

 private:
  boost::asio::awaitable<void> refresh(services& with);

  std::shared_ptr<const overview> newest_;
  clock::time_point tried_{};
  bool reading_ = false;
};

}  // namespace rowrunner::api
