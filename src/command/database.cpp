#include "command/database.hpp"

#include <libpq-fe.h>

#include <sstream>
#include <stdexcept>

#include "admin/transaction.hpp"
#include "common/pg/endpoint.hpp"
#include "queries/admin.hpp"

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

// libpq's reason in one line; its indented lines are questions back.
std::string reason_of(const std::string& text) {
  std::istringstream lines(text);
  std::string out;
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line.front() == '\t') continue;
    out += (out.empty() ? "" : "; ") + line;
  }
  return out;
}

}  // namespace

std::unique_ptr<pqxx::connection> connect(const command_context& context) {
  const std::string url = context.database_url();
  const pg::endpoint target = pg::parse_endpoint(url);
  try {
    return std::make_unique<pqxx::connection>(with_defaults(url));
  } catch (const pqxx::broken_connection& error) {
    throw pg::explain_failure(target, reason_of(error.what()));
  }
}

std::unique_ptr<pqxx::connection> connect_served(const command_context& context) {
  auto connection = connect(context);
  pqxx::work tx(*connection);
  use_system_names(tx);
  check_schema(tx);
  tx.commit();
  return connection;
}

std::string permission_advice(const command_context& context) {
  try {
    const auto connection = connect(context);
    pqxx::work tx(*connection);
    use_system_names(tx);
    const pqxx::row me = tx.exec(std::string(queries::whoami.text))[0];
    const auto user = tx.quote_name(me[0].as<std::string>());
    const auto grant = [&](const std::string& role, const std::string& what) {
      return ". You are connected as " + user + ": GRANT " + role + " TO " + user + " lets it " +
             what;
    };
    if (!me[1].as<bool>() && !me[2].as<bool>()) {
      return grant("rowrunner_app", "enqueue, read, cancel and retry jobs") +
             ", rowrunner_worker also run them and pause kinds";
    }
    if (!me[2].as<bool>()) return grant("rowrunner_worker", "run jobs and pause kinds");
    return ". You are connected as " + user +
           ", which has the permissions of a worker: this takes those of the role that ran "
           "'rowrunner migrate', or of the owner of the table";
  } catch (const std::exception&) {
    return "";
  }
}

}  // namespace rowrunner
