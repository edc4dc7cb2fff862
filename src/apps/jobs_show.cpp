#include "apps/jobs_show.hpp"

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "admin/transaction.hpp"
#include "apps/read_jobs.hpp"
#include "apps/read_vacuum_blockers.hpp"
#include "apps/read_wait_facts.hpp"
#include "command/database.hpp"
#include "command/output.hpp"
#include "common/pg/exec.hpp"
#include "common/text.hpp"
#include "enqueue/kinds.hpp"
#include "program/setting.hpp"
#include "queries/admin.hpp"

namespace rowrunner {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t value_width = 2000;

ordered_json read_json(pqxx::dbtransaction& tx, const query& statement, const kind_info& kind,
                       const std::string& id) {
  const auto answer = pg::exec(tx, statement, kind.id, id);
  if (answer.empty()) return {};
  auto out = ordered_json::parse(answer[0][0].as<std::string>());
  if (out.is_object()) use_z(out);
  if (out.is_array()) std::for_each(out.begin(), out.end(), use_z);
  return out;
}

std::string text_of(const ordered_json& value) {
  if (value.is_null()) return "-";
  return one_line(value.is_string() ? value.get<std::string>() : value.dump(), value_width);
}

void print_row(const std::string& kind, const ordered_json& row) {
  std::size_t width = display_width("kind");
  for (const auto& [name, value] : row.items()) width = std::max(width, display_width(name));
  const auto line = [width](const std::string& name, const std::string& value) {
    std::cout << name << std::string(width - display_width(name) + 2, ' ') << value << '\n';
  };
  line("kind", kind);
  for (const auto& [name, value] : row.items()) line(name, text_of(value));
}

void print_details(const ordered_json& details) {
  const auto& progress = details["progress"];
  if (!progress.is_null()) {
    std::cout << "\nprogress  " << progress["done"] << " of " << progress["total"] << "  "
              << text_of(progress["message"]) << '\n';
  }
  if (!details["steps"].empty()) {
    std::cout << "\nsteps\n";
    text_table table({{"STEP"}, {"DONE"}, {"RESULT"}});
    for (const auto& step : details["steps"]) {
      table.add({text_of(step["step"]), text_of(step["created_at"]),
                 one_line(step["result"].dump(), 100)});
    }
    table.print(std::cout);
  }
  if (!details["attempts"].empty()) {
    std::cout << "\nattempts\n";
    text_table table({{"ATTEMPT", text_table::align::right}, {"ENDED"}, {"WORKER"}, {"ERROR"}});
    for (const auto& attempt : details["attempts"]) {
      table.add({text_of(attempt["attempt"]), text_of(attempt["ended_at"]),
                 text_of(attempt["worker"]), text_of(attempt["error"])});
    }
    table.print(std::cout);
  }
}

ordered_json why_it_waits(const command_context& context, pqxx::dbtransaction& tx,
                          const kind_info& kind, const std::string& id) {
  auto facts = read_wait_facts(tx, kind, id);
  const auto alarm = horizon_alarm_setting({}, context.env);
  for (const auto& holder : read_vacuum_blockers(tx)) {
    if (holds_too_long(holder, alarm)) facts.vacuum_blocker = text_of(holder);
  }
  const auto reason = wait_reason(facts);
  return reason.empty() ? ordered_json() : ordered_json(printable(reason, value_width));
}

void show_in(pqxx::dbtransaction& tx, const command_context& context, const std::string& id) {
  use_utc(tx);
  const auto kinds = read_kinds(tx);
  const found_job found = find_job(tx, kinds, id);
  auto row = ordered_json::parse(found.row);
  use_z(row);
  const ordered_json details{{"kind", found.kind->kind},
                             {"job", row},
                             {"steps", read_json(tx, queries::job_steps, *found.kind, id)},
                             {"progress", read_json(tx, queries::job_progress, *found.kind, id)},
                             {"attempts", read_json(tx, queries::job_attempts, *found.kind, id)},
                             {"waits_because", why_it_waits(context, tx, *found.kind, id)}};
  if (context.json) {
    std::cout << details << '\n';
    return;
  }
  print_row(found.kind->kind, details["job"]);
  if (!details["waits_because"].is_null()) {
    std::cout << "\nwaits because  " << text_of(details["waits_because"]) << '\n';
  }
  print_details(details);
}

}  // namespace

found_job find_job(pqxx::dbtransaction& tx, const std::vector<kind_info>& kinds,
                   const std::string& id) {
  for (const auto& kind : kinds) {
    const auto answer = pg::exec(tx, kind.bind(queries::job_by_id), id);
    if (!answer.empty()) return {&kind, answer[0][0].as<std::string>()};
  }
  throw std::runtime_error("no job has the id " + id);
}

void show_job(const command_context& context, const std::string& id) {
  const auto connection = connect_served(context);
  read_jobs(*connection, [&](pqxx::dbtransaction& tx) { show_in(tx, context, id); });
}

}  // namespace rowrunner
