#include "common/pg/error.hpp"

#include <sstream>
#include <utility>

namespace rowrunner::pg {
namespace {

std::string describe(const std::string& sqlstate, const std::string& message,
                     const std::string& statement_name) {
  std::string text =
      statement_name.empty() ? "statement failed: " : "statement " + statement_name + " failed: ";
  text += message;
  if (!sqlstate.empty()) text += " (SQLSTATE " + sqlstate + ")";
  return text;
}

}  // namespace

namespace {

/// libpq breaks its explanations into lines; an error of ours is one line.
std::string on_one_line(const std::string& text) {
  std::string line;
  for (const char c : text) {
    const bool space = c == '\n' || c == '\t' || c == ' ';
    if (!space) {
      line += c;
    } else if (!line.empty() && line.back() != ' ') {
      line += ' ';
    }
  }
  return line;
}

}  // namespace

error_class classify(std::string_view sqlstate) {
  // 53300 comes first, as the rest of class 53 is about a server that does accept connections.
  // 25006 is what a standby or a demoted primary answers: the server that writes is another one by
  // now. 26000 and 42P05 are prepared statements that are gone or exist already: the session is not
  // the one that this client prepared them on, as behind a transaction-mode pooler.
  if (sqlstate.starts_with("08") || sqlstate == "57P01" || sqlstate == "57P02" ||
      sqlstate == "57P03" || sqlstate == "53300" || sqlstate == "25006" || sqlstate == "26000" ||
      sqlstate == "42P05") {
    return error_class::connection;
  }
  // 0A000 is a prepared statement that no longer fits, which a new connection fixes.
  if (sqlstate == "40001" || sqlstate == "40P01" || sqlstate == "55P03" || sqlstate == "57014" ||
      sqlstate.starts_with("53") || sqlstate == "0A000") {
    return error_class::retry_transaction;
  }
  return error_class::permanent;
}

error::error(std::string sqlstate, const std::string& what)
    : std::runtime_error(what), sqlstate_(std::move(sqlstate)) {}

query_error::query_error(std::string sqlstate, std::string message, std::string statement_name,
                         std::string detail, std::string hint)
    : error(sqlstate, describe(sqlstate, message, statement_name)),
      message_(std::move(message)),
      detail_(std::move(detail)),
      hint_(std::move(hint)),
      statement_name_(std::move(statement_name)) {}

std::string query_error::explanation() const {
  std::istringstream lines(message_ + '\n' + detail_ + '\n' + hint_);
  std::string out;
  for (std::string line; std::getline(lines, line);) {
    if (line.find_first_not_of(' ') == std::string::npos) continue;
    out += (out.empty() ? "" : ". ") + line;
  }
  return out;
}

connection_lost::connection_lost(const std::string& what, bool maybe, std::string sqlstate)
    : error(std::move(sqlstate), "connection lost: " + what), maybe_committed(maybe) {}

connect_failed::connect_failed(const std::string& what) : error("08001", on_one_line(what)) {}

}  // namespace rowrunner::pg
