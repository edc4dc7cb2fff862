#include "admin/doctor.hpp"

#include <array>
#include <cmath>
#include <cstdio>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>

#include "common/schema/schema_version.hpp"
#include "common/schema/vacuum_blocker.hpp"
#include "common/version.hpp"
#include "queries/admin.hpp"
#include "queries/engine.hpp"

namespace rowrunner::admin {

namespace {

constexpr double tolerated_seconds = 1;

enum class scope { database, each_kind };
enum class given { nothing, permissions, versions };

/// A query that answers kind, finding and advice. With scope::each_kind it is asked for every kind
/// that has a table, $1, so that trouble with one table does not hide the findings of the others.
/// The cure is a statement for a kind, $1, that says what it did.
struct check {
  const char* name;
  const query* question;
  scope reach = scope::database;
  given parameters = given::nothing;
  const query* cure = nullptr;
};

const std::array checks{
    check{"roles", &queries::doctor_roles},
    check{"permissions", &queries::doctor_permissions, scope::database, given::permissions},
    check{"permissions", &queries::doctor_table_permissions, scope::each_kind},
    check{"dropped tables", &queries::doctor_dropped_tables, scope::database, given::nothing,
          &queries::doctor_detach},
    check{"job tables", &queries::doctor_job_tables, scope::each_kind},
    check{"triggers", &queries::doctor_triggers},
    check{"entries", &queries::doctor_entries, scope::each_kind, given::nothing,
          &queries::doctor_repair},
    check{"claims", &queries::doctor_claims},
    check{"indexes", &queries::doctor_indexes, scope::each_kind},
    check{"fillfactor", &queries::doctor_fillfactor},
    check{"dead rows", &queries::doctor_dead_rows},
    check{"versions", &queries::doctor_versions, scope::database, given::versions},
};

/// One text, in which a semicolon ends every statement.
std::string permission_statements(const doctor_options& options) {
  std::string out(queries::ensure_permissions.text);
  for (const auto& more : options.permissions) (out += ";\n") += more.text;
  return out + ";";
}

std::vector<pg::param> parameters_of(const check& asked, const std::string& kind,
                                     const doctor_options& options) {
  std::vector<pg::param> out;
  if (asked.reach == scope::each_kind) out.emplace_back(kind);
  if (asked.parameters == given::permissions) {
    out.emplace_back(permission_statements(options));
  }
  if (asked.parameters == given::versions) out.emplace_back(std::string(version));
  if (asked.parameters != given::nothing) {
    out.emplace_back(std::to_string(binary_schema_version()));
  }
  return out;
}

/// The check itself is in trouble.
finding refused(const char* name, const std::string& kind, const pg::query_error& error) {
  const std::string advice = error.sqlstate() == "42501"
                                 ? "run doctor as the role that ran 'rowrunner migrate'"
                                 : "run doctor again";
  return {name, kind, "could not be checked: " + error.message(), advice};
}

/// In a transaction of its own that cannot write.
asio::awaitable<pg::result> read(pg::session& session, const query& question,
                                 std::vector<pg::param> parameters) {
  const auto settings = queries::doctor_settings.statement();
  const auto statement = question.statement();
  pg::call asked(statement, std::move(parameters));
  auto answers = co_await session.run(pg::together(pg::with(settings), std::move(asked)));
  co_return std::move(answers.back());
}

asio::awaitable<pg::result> read(pg::session& session, const query& question) {
  return read(session, question, std::vector<pg::param>());
}

asio::awaitable<void> run_check(pg::session& session, const check& asked, std::string kind,
                                const doctor_options& options, std::vector<finding>& out) {
  try {
    const auto rows = co_await read(session, *asked.question, parameters_of(asked, kind, options));
    for (int row = 0; row < rows.rows(); ++row) {
      out.push_back({asked.name, std::string(rows.get(row, 0)), std::string(rows.get(row, 1)),
                     std::string(rows.get(row, 2))});
    }
  } catch (const pg::query_error& error) {
    out.push_back(refused(asked.name, kind, error));
  }
}

asio::awaitable<void> check_vacuum_blockers(pg::session& session, std::chrono::milliseconds alarm,
                                            std::vector<finding>& out) {
  constexpr const char* name = "vacuum blockers";
  try {
    const auto rows = co_await read(session, queries::vacuum_blockers);
    for (const auto& holder : read_vacuum_blockers(rows)) {
      if (!holds_too_long(holder, alarm)) continue;
      const std::string since = holder.since.empty() ? "" : " since " + holder.since;
      out.push_back({name, "", text_of(holder) + " keeps dead rows from being removed" + since,
                     advice_for(holder)});
    }
  } catch (const pg::query_error& error) {
    out.push_back(refused(name, "", error));
  }
}

double now_seconds() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::string one_decimal(double number) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.1f", number);
  return text.data();
}

asio::awaitable<void> check_clock(pg::session& session, std::vector<finding>& out) {
  constexpr const char* name = "clock";
  try {
    const double before = now_seconds();
    const auto answer = co_await read(session, queries::doctor_clock);
    const double after = now_seconds();
    const double ahead = clock_difference(before, std::stod(std::string(answer.get(0, 0))), after);
    if (std::abs(ahead) > tolerated_seconds) {
      out.push_back({name, "",
                     "the server's clock is " + one_decimal(std::abs(ahead)) + " s " +
                         (ahead > 0 ? "ahead of" : "behind") + " the clock of this machine",
                     "synchronise both with NTP: leases go by the server's clock, logs do not"});
    }
  } catch (const pg::query_error& error) {
    out.push_back(refused(name, "", error));
  }
}

/// The kinds that have a table.
asio::awaitable<std::vector<std::string>> kinds_with_table(pg::session& session) {
  const auto rows = co_await read(session, queries::kinds);
  std::vector<std::string> out;
  for (int row = 0; row < rows.rows(); ++row) {
    if (!rows.get(row, 2).empty()) out.emplace_back(rows.get(row, 1));
  }
  co_return out;
}

asio::awaitable<std::vector<finding>> examine(pg::session& session, const doctor_options& options) {
  std::vector<finding> out;
  const auto kinds = co_await kinds_with_table(session);
  for (const auto& each : checks) {
    if (each.reach == scope::database) {
      co_await run_check(session, each, "", options, out);
      continue;
    }
    for (const auto& kind : kinds) co_await run_check(session, each, kind, options, out);
  }
  co_await check_vacuum_blockers(session, options.vacuum_blocker_alarm, out);
  co_await check_clock(session, out);
  co_return out;
}

const query* cure_of(const finding& found) {
  for (const auto& each : checks) {
    if (each.name == found.check && !found.kind.empty()) return each.cure;
  }
  return nullptr;
}

asio::awaitable<void> cure(pg::session& session, const query& how, std::string kind,
                           doctor_report& report) {
  const auto statement = how.statement();
  try {
    const auto answer = co_await session.run_one(pg::with(statement, kind));
    report.fixed.push_back(kind + ": " + std::string(answer.get(0, 0)));
  } catch (const pg::query_error& error) {
    report.not_fixed.push_back(kind + ": " + error.message());
  }
}

asio::awaitable<void> fix(pg::session& session, doctor_report& report) {
  std::set<std::pair<const query*, std::string>> done;
  for (const auto& each : report.findings) {
    const query* const how = cure_of(each);
    if (how == nullptr || !done.emplace(how, each.kind).second) continue;
    co_await cure(session, *how, each.kind, report);
  }
}

}  // namespace

double clock_difference(double before, double there, double after) {
  if (there < before) return there - before;
  if (there > after) return there - after;
  return 0;
}

asio::awaitable<doctor_report> run_doctor(pg::session& session, doctor_options options) {
  doctor_report report;
  report.findings = co_await examine(session, options);
  if (options.fix) {
    co_await fix(session, report);
    report.findings = co_await examine(session, options);
  }
  co_return report;
}

}  // namespace rowrunner::admin
