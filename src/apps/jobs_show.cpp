#include "apps/jobs_show.hpp"

#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>

#include "admin/job_details.hpp"
#include "command/database.hpp"
#include "command/output.hpp"
#include "program/setting.hpp"

namespace rowrunner {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t value_width = 2000;

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

void print_details(const admin::job_details& details) {
  const auto& progress = details.progress;
  if (!progress.is_null()) {
    std::cout << "\nprogress  " << progress["done"] << " of " << progress["total"] << "  "
              << text_of(progress["message"]) << '\n';
  }
  if (!details.steps.empty()) {
    std::cout << "\nsteps\n";
    text_table table({{"STEP"}, {"DONE"}, {"RESULT"}});
    for (const auto& step : details.steps) {
      table.add({text_of(step["step"]), text_of(step["created_at"]),
                 one_line(step["result"].dump(), 100)});
    }
    table.print(std::cout);
  }
  if (!details.attempts.empty()) {
    std::cout << "\nattempts\n";
    text_table table({{"ATTEMPT", text_table::align::right}, {"ENDED"}, {"WORKER"}, {"ERROR"}});
    for (const auto& attempt : details.attempts) {
      table.add({text_of(attempt["attempt"]), text_of(attempt["ended_at"]),
                 text_of(attempt["worker"]), text_of(attempt["error"])});
    }
    table.print(std::cout);
  }
}

ordered_json as_json(const admin::job_details& details) {
  return {{"kind", details.kind},
          {"job", details.job},
          {"steps", details.steps},
          {"progress", details.progress},
          {"attempts", details.attempts},
          {"waits_because",
           details.waits_because ? ordered_json(*details.waits_because) : ordered_json()}};
}

}  // namespace

void show_job(const command_context& context, const std::string& id) {
  const auto alarm = vacuum_blocker_alarm_setting({}, context.env);
  const auto work = [&](pg::session& session) { return admin::show_job(session, id, alarm); };
  const auto details = with_database(context, work);
  if (context.json) {
    std::cout << as_json(details) << '\n';
    return;
  }
  print_row(details.kind, details.job);
  if (details.waits_because) {
    std::cout << "\nwaits because  " << one_line(*details.waits_because, value_width) << '\n';
  }
  print_details(details);
}

}  // namespace rowrunner
