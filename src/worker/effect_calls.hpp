#pragma once

#include <deque>
#include <rowrunner/outcome.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "common/pg/error.hpp"
#include "common/pg/statement.hpp"

namespace rowrunner {

/// Whether a statement ends the transaction that effects share with ends and steps of other jobs,
/// or speaks with the client (COPY). Functions and DO cannot end it.
bool leaves_transaction(std::string_view sql);

/// The SQLSTATE of a refused transaction with effects. Only effects have no name. An error of
/// theirs about a connection, a standby or a prepared statement is not about the worker's own
/// connection: to reconnect and try again would hold up all other jobs.
std::string effect_sqlstate(const pg::query_error& refused);

/// The calls that run effects. It keeps their statements, so it must outlive the calls.
class effect_calls {
 public:
  /// Throws pg::query_error for an effect that leaves_transaction.
  void append_to(std::vector<pg::call>& calls, const std::vector<effect>& effects);

 private:
  std::deque<pg::statement> statements_;
};

}  // namespace rowrunner
