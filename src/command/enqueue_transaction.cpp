#include "command/enqueue_transaction.hpp"

#include <libpq-fe.h>

#include <sstream>
#include <stdexcept>

#include "command/database.hpp"
#include "common/pg/exec.hpp"
#include "queries/session.hpp"

namespace rowrunner {
namespace {

struct free_options {
  void operator()(PQconninfoOption* list) const noexcept { PQconninfoFree(list); }
};

void append_option(std::string& out, std::string_view keyword, std::string_view value) {
  out += out.empty() ? "" : " ";
  out += keyword;
  out += "='";
  for (const char c : value) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  out += '\'';
}

// The URL as a key=value string, with what it leaves out: without a time limit, a host that does
// not answer would keep a command waiting for minutes.
std::string with_defaults(const std::string& url) {
  const std::unique_ptr<PQconninfoOption, free_options> list(PQconninfoParse(url.c_str(), nullptr));
  std::string out;
  bool limited = std::getenv("PGCONNECT_TIMEOUT") != nullptr;
  for (const PQconninfoOption* option = list.get(); option->keyword != nullptr; ++option) {
    if (option->val == nullptr) continue;
    const std::string_view keyword = option->keyword;
    limited = limited || keyword == "connect_timeout";
    if (keyword != "client_encoding") append_option(out, keyword, option->val);
  }
  if (!limited) append_option(out, "connect_timeout", "5");
  append_option(out, "fallback_application_name", "rowrunner");
  append_option(out, "client_encoding", "UTF8");
  return out;
}

// What the database complained about, in one line: message, detail and hint.
std::string complaint(const pqxx::sql_error& error) {
  std::istringstream lines(error.what());
  std::string out;
  for (std::string line; std::getline(lines, line);) {
    const auto colon = line.find(":  ");
    const std::string label = line.substr(0, colon == std::string::npos ? 0 : colon);
    if (label == "CONTEXT" || label == "QUERY") break;
    if (line.starts_with("LINE ") || line.find_first_not_of(" ^") == std::string::npos) continue;
    const bool known = label == "ERROR" || label == "FATAL" || label == "DETAIL" || label == "HINT";
    out += (out.empty() ? "" : ". ") + (known ? line.substr(colon + 3) : line);
  }
  return out;
}

}  // namespace

void in_enqueue_transaction(const command_context& context,
                            const std::function<void(pqxx::dbtransaction&)>& work) {
  command_database(context).require_served();
  try {
    pqxx::connection connection(with_defaults(context.database_url()));
    pqxx::work tx(connection);
    pg::exec(tx, queries::search_path, true);
    work(tx);
    tx.commit();
  } catch (const pqxx::broken_connection&) {
    throw std::runtime_error("the connection to the database was lost");
  } catch (const pqxx::insufficient_privilege& error) {
    throw std::runtime_error(complaint(error) + permission_advice(context));
  } catch (const pqxx::sql_error& error) {
    throw std::runtime_error(complaint(error));
  }
}

}  // namespace rowrunner
