#include "apps/jobs_list.hpp"

#include <algorithm>
#include <array>
#include <iostream>
#include <nlohmann/json.hpp>

#include "admin/error.hpp"
#include "command/database.hpp"
#include "command/output.hpp"
#include "common/errors.hpp"
#include "common/schema/job_status.hpp"
#include "common/text.hpp"

namespace rowrunner {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t error_width = 60;
constexpr std::size_t column_width = 40;
constexpr std::size_t own_width = 60;

std::string cell(const ordered_json& job, const std::string& name) {
  const auto found = job.find(name);
  if (found == job.end() || found->is_null()) return "";
  return found->is_string() ? found->get<std::string>() : found->dump();
}

bool is_engine_column(const std::string& name) {
  constexpr std::array names{"id",         "status",     "attempts",   "max_attempts",
                             "last_error", "created_at", "updated_at", "locked_at",
                             "locked_by",  "lease",      "priority",   "run_at"};
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// The user's own columns of a job, as "plan_id=kyoto spot_name=Ginkaku-ji".
std::string own_columns(const ordered_json& job) {
  std::string out;
  for (const auto& [name, value] : job.items()) {
    if (is_engine_column(name) || value.is_null()) continue;
    out += (out.empty() ? "" : " ") + name + "=" + one_line(cell(job, name), column_width);
  }
  return one_line(out, own_width);
}

/// A column that no listed job has is a mistake.
void check_columns(const admin::jobs_page& found, const std::vector<std::string>& columns) {
  for (const auto& name : columns) {
    const auto& jobs = found.jobs;
    const bool known = std::any_of(jobs.begin(), jobs.end(),
                                   [&](const auto& entry) { return entry.job.contains(name); });
    if (!known && !jobs.empty()) {
      throw usage_error("--columns: no listed job has a column '" + one_line(name, 60) + "'");
    }
  }
}

std::string upper_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  return text;
}

void print_jobs(const admin::jobs_page& found, const std::vector<std::string>& columns) {
  std::vector<text_table::column> titles{{"ID"},
                                         {"KIND"},
                                         {"STATUS"},
                                         {"ATTEMPTS", text_table::align::right},
                                         {"PRIORITY", text_table::align::right},
                                         {"RUN AT"},
                                         {"UPDATED"}};
  for (const auto& name : columns) titles.push_back({upper_case(one_line(name, column_width))});
  if (columns.empty()) titles.push_back({"COLUMNS"});
  titles.push_back({"ERROR"});
  text_table table(std::move(titles));
  for (const auto& [kind, job] : found.jobs) {
    std::vector<std::string> cells{
        cell(job, "id"),        kind,
        cell(job, "status"),    cell(job, "attempts") + "/" + cell(job, "max_attempts"),
        cell(job, "priority"),  cell(job, "run_at"),
        cell(job, "updated_at")};
    for (const auto& name : columns) cells.push_back(one_line(cell(job, name), column_width));
    if (columns.empty()) cells.push_back(own_columns(job));
    // What an earlier attempt died of is no error of a job that has succeeded.
    const bool succeeded = cell(job, "status") == job_status::succeeded;
    cells.push_back(succeeded ? "" : one_line(cell(job, "last_error"), error_width));
    table.add(std::move(cells));
  }
  table.print(std::cout);
}

void print_table(const admin::jobs_page& found, const list_options& options) {
  check_columns(found, options.columns);
  if (found.jobs.empty()) {
    std::cout << "no jobs\n";
  } else {
    print_jobs(found, options.columns);
  }
  if (!found.next) return;
  std::cout << "more: rowrunner jobs list";
  if (options.kind) std::cout << " --kind " << *options.kind;
  if (options.status) std::cout << " --status " << *options.status;
  std::cout << " --limit " << options.limit << " --after " << *found.next << '\n';
}

void print_json(const admin::jobs_page& found) {
  ordered_json list = ordered_json::array();
  for (const auto& entry : found.jobs) list.push_back({{"kind", entry.kind}, {"job", entry.job}});
  const ordered_json next = found.next ? ordered_json(*found.next) : ordered_json();
  std::cout << ordered_json{{"jobs", list}, {"next", next}} << '\n';
}

// In the words of the command line.
std::exception_ptr explained(const admin::error& error, const list_options& options) {
  const std::string after = "--after '" + one_line(options.after.value_or(""), 40) + "'";
  switch (error.why()) {
    case admin::reason::bad_cursor:
      return std::make_exception_ptr(
          usage_error(options.status == job_status::queued
                          ? after + ": the waiting jobs continue after a queue position such as "
                                    "0:123, as the list shows it"
                          : after + " is not a job's id"));
    case admin::reason::no_paging:
      return std::make_exception_ptr(
          usage_error("--after does not work with --status delayed: raise --limit instead"));
    case admin::reason::cursor_gone:
      return std::make_exception_ptr(
          bad_input(error.what() + std::string(": list without --after")));
    default:
      return std::make_exception_ptr(error);
  }
}

}  // namespace

void list_jobs(const command_context& context, const list_options& options) {
  if (options.kind) check_text("kind", *options.kind);
  const auto work = [&](pg::session& session) { return admin::list_jobs(session, options); };
  admin::jobs_page found;
  try {
    found = with_database(context, work);
  } catch (const admin::error& error) {
    std::rethrow_exception(explained(error, options));
  }
  if (context.json) {
    print_json(found);
  } else {
    print_table(found, options);
  }
}

}  // namespace rowrunner
