#include "command/database.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <stdexcept>

#include "admin/transaction.hpp"
#include "common/pg/endpoint.hpp"
#include "common/schema/kind_info.hpp"
#include "queries/admin.hpp"

namespace rowrunner {
namespace {

using namespace std::chrono_literals;

/// As libpq has it: the URL, then PGCONNECT_TIMEOUT; nothing positive means no limit, and one
/// second is too short. Without either, a host that does not answer gets five.
std::chrono::milliseconds connect_timeout(const std::string& url) {
  std::string text = pg::parse_endpoint(url).connect_timeout;
  const char* const set = std::getenv("PGCONNECT_TIMEOUT");
  if (text.empty() && set != nullptr) text = set;
  int seconds = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (parsed.ec != std::errc{}) return 5s;
  return seconds <= 0 ? 24h
                      : std::max<std::chrono::milliseconds>(std::chrono::seconds(seconds), 2s);
}

/// A command runs a statement once, so none is prepared, and a transaction-mode pooler in between
/// does no harm. Statements such as a repair may take long.
pg::settings session_settings(const command_context& context) {
  pg::settings settings;
  settings.url = context.database_url();
  settings.pooled = true;
  settings.system_names_only = true;
  settings.connect_timeout = connect_timeout(settings.url);
  settings.answer_timeout = 24h;
  return settings;
}

/// Only the owner of the schema may do it: no role of the engine that is granted to users helps.
std::string owner_advice(const std::string& user, const pg::result& me) {
  const std::string owner = me.is_null(0, 3) ? "" : ", which is " + quote_name(me.get(0, 3));
  return ". You are connected as " + user + ": this takes the role that ran 'rowrunner migrate'" +
         owner;
}

std::string advice_for(const pg::result& me, permission needed) {
  const auto user = quote_name(me.get(0, 0));
  if (needed == permission::owner) return owner_advice(user, me);
  const bool is_app = me.get_bool(0, 1), is_worker = me.get_bool(0, 2);
  const auto grant = [&](const std::string& role, const std::string& what) {
    return ". You are connected as " + user + ": GRANT " + role + " TO " + user + " lets it " +
           what;
  };
  if (!is_app && !is_worker) {
    return grant("rowrunner_app", "enqueue, read, cancel and retry jobs") +
           ", rowrunner_worker also run them and pause kinds";
  }
  if (!is_worker) return grant("rowrunner_worker", "run jobs and pause kinds");
  return ". You are connected as " + user +
         ", which has the permissions of a worker: this takes those of the role that ran "
         "'rowrunner migrate', or of the owner of the table";
}

}  // namespace

command_database::command_database(const command_context& context)
    : context_(context), session_(io_.get_executor(), session_settings(context)) {}

void command_database::require_served() { run(admin::require_served); }

void command_database::explain(const pg::query_error& refused) const {
  if (pg::classify(refused.sqlstate()) == pg::error_class::connection) {
    throw database_away(refused.explanation());
  }
  const bool denied = refused.sqlstate() == "42501";
  throw std::runtime_error(refused.explanation() + (denied ? permission_advice(context_) : ""));
}

std::string permission_advice(const command_context& context) {
  const auto ask = [](admin::transaction& tx) { return tx.run(queries::whoami); };
  const auto work = [&](pg::session& session) { return admin::in_transaction(session, ask); };
  try {
    return advice_for(command_database(context).run(work), context.needs);
  } catch (const std::exception&) {
    return "";
  }
}

}  // namespace rowrunner
