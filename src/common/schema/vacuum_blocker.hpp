#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/pg/result.hpp"

namespace rowrunner {

/// Something that keeps PostgreSQL from removing dead rows: one row of
/// db/queries/engine/vacuum_blockers.sql. What there is none of, or the role may not see, is empty.
struct vacuum_blocker {
  std::string what;  ///< session, standby, slot or prepared
  std::string name;  ///< the process, the slot, the transaction's identifier
  std::string application;
  std::string user;
  std::string state;
  std::string since;
  std::optional<double> seconds;
  /// How many transactions have begun since.
  std::int64_t transactions = 0;
  std::string statement;

  bool operator==(const vacuum_blocker&) const = default;
};

/// What the query answered, the oldest first.
std::vector<vacuum_blocker> read_vacuum_blockers(const pg::result& rows);

/// For longer than `alarm`, or, where the time is not known, for very many transactions. An alarm
/// of zero never rings.
bool holds_too_long(const vacuum_blocker& holder, std::chrono::milliseconds alarm);

/// The oldest of them: for a chart; zero if there is none.
struct held_time {
  double seconds = 0;
  std::int64_t transactions = 0;
};
held_time longest_held(const std::vector<vacuum_blocker>& holders);

/// "session 4242 (psql, user ann, idle in transaction)".
std::string text_of(const vacuum_blocker& holder);

/// What to do about it.
std::string advice_for(const vacuum_blocker& holder);

}  // namespace rowrunner
