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
/// From when on a session that blocks VACUUM is one.
constexpr std::chrono::minutes vacuum_alarm{5};

/// Jobs that ended in each minute of the last hour, the oldest first.
struct minute_counts {
  std::vector<std::int64_t> succeeded = std::vector<std::int64_t>(60);
  std::vector<std::int64_t> failed = std::vector<std::int64_t>(60);
};

/// {"n", "capped"}: a count that stopped at a limit stands for more.
nlohmann::ordered_json count_json(std::int64_t n, std::int64_t limit);

/// What is wrong, in the order of urgency: a list of {code, kind, message}.
nlohmann::ordered_json problems_of(const admin::database_stats& stats);

/// What the first page shows, as it was last read. Many viewers share one reading a second; if the
/// database does not answer, they get the last one, marked as stale.
class overview_board {
 public:
  using clock = std::chrono::steady_clock;

  /// Throws what the reading throws if there has never been one.
  boost::asio::awaitable<std::shared_ptr<const nlohmann::ordered_json>> get(services& with);

 private:
  boost::asio::awaitable<void> refresh(services& with);

  std::shared_ptr<const nlohmann::ordered_json> newest_;
  clock::time_point tried_{};
  bool reading_ = false;
};

}  // namespace rowrunner::api
