#include "admin/doctor.hpp"

#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>

#include "api/component.hpp"
#include "apps/commands.hpp"
#include "command/database.hpp"
#include "command/output.hpp"
#include "common/text.hpp"
#include "program/setting.hpp"

namespace rowrunner {
namespace {

using admin::doctor_report;
using nlohmann::ordered_json;

struct doctor_flags {
  bool fix = false;
  std::optional<double> vacuum_blocker_alarm;
};

ordered_json as_json(const doctor_report& report) {
  ordered_json findings = ordered_json::array();
  for (const auto& each : report.findings) {
    findings.push_back({{"check", each.check},
                        {"kind", each.kind.empty() ? ordered_json() : ordered_json(each.kind)},
                        {"finding", printable(each.text, 4000)},
                        {"advice", printable(each.advice, 4000)}});
  }
  return {{"findings", findings}, {"fixed", report.fixed}, {"not_fixed", report.not_fixed}};
}

void print(const doctor_report& report) {
  constexpr std::size_t widest = 160;
  for (const auto& each : report.fixed) std::cout << "fixed: " << one_line(each, widest) << '\n';
  for (const auto& each : report.not_fixed) {
    std::cout << "not fixed: " << one_line(each, widest) << '\n';
  }
  if (report.findings.empty()) {
    std::cout << "nothing is wrong\n";
    return;
  }
  text_table table({{"CHECK"}, {"KIND"}, {"FINDING"}, {"WHAT TO DO"}});
  for (const auto& each : report.findings) {
    table.add({each.check, each.kind.empty() ? "-" : each.kind, one_line(each.text, widest),
               one_line(each.advice, widest)});
  }
  table.print(std::cout);
}

void examine(const command_context& context, const doctor_flags& flags) {
  const admin::doctor_options options{
      flags.fix, vacuum_blocker_alarm_setting(flags.vacuum_blocker_alarm, context.env),
      api::api_component().after};
  const auto work = [&](pg::session& session) { return admin::run_doctor(session, options); };
  const auto report = with_database(context, work);
  if (context.json) {
    std::cout << as_json(report) << '\n';
  } else {
    print(report);
  }
  std::cout.flush();
  const auto count = report.findings.size();
  if (count > 0) {
    throw std::runtime_error(std::to_string(count) + (count == 1 ? " finding" : " findings"));
  }
}

}  // namespace

void add_doctor_command(CLI::App& app, command_context& context) {
  auto* command = app.add_subcommand("doctor", "Find what is wrong with the database, and why");
  auto flags = std::make_shared<doctor_flags>();
  command->add_flag("--fix", flags->fix,
                    "Repair entries, and detach kinds whose table was dropped");
  command->add_option("--vacuum-blocker-alarm", flags->vacuum_blocker_alarm,
                      "Name sessions that block VACUUM for so many seconds; 0 never (default 300)");
  command->footer(
      "Looks at roles, permissions, job tables, queue entries, indexes, fillfactor, dead rows,\n"
      "sessions that block VACUUM, versions of workers and clocks. Without --fix it only reads.\n"
      "Run it as the role that migrates. The exit code is 1 if something is wrong.\n"
      "\n"
      "Examples:\n"
      "  rowrunner doctor\n"
      "  rowrunner doctor --fix");
  command->callback(
      [&context, flags] { context.action = [&context, flags] { examine(context, *flags); }; });
}

}  // namespace rowrunner
