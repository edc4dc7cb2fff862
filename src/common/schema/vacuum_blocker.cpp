#include "common/schema/vacuum_blocker.hpp"

#include <algorithm>

namespace rowrunner {

namespace {

/// Where there is no time to go by: a busy server comes to this within minutes, and an idle one has
/// no dead rows to remove.
constexpr std::int64_t many_transactions = 100'000;

enum column { what, name, application, user, state, since, seconds, transactions, statement };

}  // namespace

std::vector<vacuum_blocker> read_vacuum_blockers(const pg::result& rows) {
  std::vector<vacuum_blocker> out(static_cast<std::size_t>(rows.rows()));
  for (int row = 0; row < rows.rows(); ++row) {
    auto& holder = out[static_cast<std::size_t>(row)];
    holder.what = rows.get(row, what);
    holder.name = rows.get(row, name);
    holder.application = rows.get(row, application);
    holder.user = rows.get(row, user);
    holder.state = rows.get(row, state);
    holder.since = rows.get(row, since);
    if (!rows.is_null(row, seconds))
      holder.seconds = std::stod(std::string(rows.get(row, seconds)));
    if (!rows.is_null(row, transactions)) holder.transactions = rows.get_int(row, transactions);
    holder.statement = rows.get(row, statement);
  }
  return out;
}

bool holds_too_long(const vacuum_blocker& holder, std::chrono::milliseconds alarm) {
  if (alarm <= alarm.zero()) return false;
  if (!holder.seconds) return holder.transactions >= many_transactions;
  return *holder.seconds * 1000 >= static_cast<double>(alarm.count());
}

held_time longest_held(const std::vector<vacuum_blocker>& holders) {
  held_time longest;
  for (const auto& holder : holders) {
    longest.seconds = std::max(longest.seconds, holder.seconds.value_or(0));
    longest.transactions = std::max(longest.transactions, holder.transactions);
  }
  return longest;
}

std::string text_of(const vacuum_blocker& holder) {
  std::string details;
  const auto add = [&](const std::string& text) {
    if (!text.empty()) details += (details.empty() ? "" : ", ") + text;
  };
  add(holder.application);
  if (!holder.user.empty()) add("user " + holder.user);
  add(holder.state);
  const std::string kind = holder.what == "slot"       ? "replication slot"
                           : holder.what == "prepared" ? "prepared transaction"
                                                       : holder.what;
  return kind + " " + holder.name + (details.empty() ? "" : " (" + details + ")");
}

std::string advice_for(const vacuum_blocker& holder) {
  if (holder.what == "slot") {
    return "bring its consumer back, or drop it: SELECT pg_drop_replication_slot('" + holder.name +
           "')";
  }
  if (holder.what == "prepared") {
    return "end it: COMMIT PREPARED '" + holder.name + "' or ROLLBACK PREPARED '" + holder.name +
           "'";
  }
  if (holder.what == "standby") {
    return "end the long query on that standby, or turn off its hot_standby_feedback";
  }
  if (holder.state == "active") {
    return "wait for its statement, or cancel it: SELECT pg_cancel_backend(" + holder.name + ")";
  }
  const std::string end = "end it: SELECT pg_terminate_backend(" + holder.name + ")";
  if (holder.state.empty()) {
    return end +
           "; grant pg_read_all_stats to this role to see since when it is open and what it "
           "does";
  }
  return end + "; idle_in_transaction_session_timeout ends such sessions by itself";
}

}  // namespace rowrunner
