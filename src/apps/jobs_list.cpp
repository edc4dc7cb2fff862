#include "apps/jobs_list.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <iostream>
#include <limits>
#include <nlohmann/json.hpp>

#include "admin/transaction.hpp"
#include "apps/read_jobs.hpp"
#include "command/database.hpp"
#include "command/output.hpp"
#include "common/errors.hpp"
#include "common/pg/exec.hpp"
#include "common/schema/job_status.hpp"
#include "common/text.hpp"
#include "enqueue/kinds.hpp"
#include "queries/admin.hpp"

namespace rowrunner {
namespace {

using nlohmann::ordered_json;
using text_param = std::optional<std::string>;

constexpr std::size_t error_width = 60;
constexpr std::size_t column_width = 40;
constexpr std::size_t own_width = 60;

struct listed_job {
  std::string kind;
  ordered_json job;
  /// Jobs of several kinds are merged by this.
  std::string rank;
  std::string cursor;
};

struct page {
  std::vector<listed_job> jobs;
  /// Where the next page begins; empty if there is none.
  std::string next;
};

struct place {
  int priority = std::numeric_limits<std::int16_t>::min();
  std::int64_t seq = std::numeric_limits<std::int64_t>::min();
};

place parse_place(const std::string& text) {
  place out;
  const char* end = text.data() + text.size();
  const auto priority = std::from_chars(text.data(), end, out.priority);
  if (priority.ec == std::errc() && priority.ptr != end && *priority.ptr == ':') {
    const auto seq = std::from_chars(priority.ptr + 1, end, out.seq);
    const bool small = out.priority == static_cast<std::int16_t>(out.priority);
    if (seq.ec == std::errc() && seq.ptr == end && small) return out;
  }
  throw usage_error(
      "--after '" + one_line(text, 40) +
      "': the waiting jobs continue after a place such as 0:123, as the list shows it");
}

text_param parse_id(const std::optional<std::string>& text) {
  if (text && !is_uuid(*text)) {
    throw usage_error("--after '" + one_line(*text, 40) + "' is not a job's id");
  }
  return text;
}

// One page of one kind, for each way to list.
class lister {
 public:
  lister(pqxx::dbtransaction& tx, const list_options& options) : tx_(tx), options_(options) {
    if (options.status == job_status::queued) {
      if (options.after) place_ = parse_place(*options.after);
      return;
    }
    after_ = parse_id(options.after);
    if (after_ && options.status == "delayed") {
      throw usage_error("--after does not work with --status delayed: raise --limit instead");
    }
    if (after_ && options.status == job_status::failed) failed_at_ = when_failed(*after_);
  }

  pqxx::result read(const kind_info& kind) {
    const int limit = options_.limit;
    if (options_.status == job_status::queued) {
      return pg::exec(tx_, kind.bind(queries::jobs_waiting), kind.id, place_.priority, place_.seq,
                      limit);
    }
    if (options_.status == "delayed") {
      return pg::exec(tx_, kind.bind(queries::jobs_delayed), kind.id, limit);
    }
    if (options_.status == job_status::processing) {
      return pg::exec(tx_, kind.bind(queries::jobs_running), kind.id, after_, limit);
    }
    if (options_.status == job_status::failed) {
      return pg::exec(tx_, kind.bind(queries::jobs_failed), kind.id, failed_at_, after_, limit);
    }
    return pg::exec(tx_, kind.bind(queries::jobs_newest), after_, options_.status, limit);
  }

  // Where a search among all jobs stopped, if it did not reach the end.
  std::string searched_until(const kind_info& kind) {
    const auto end = pg::exec(tx_, kind.bind(queries::jobs_page_end), after_);
    return end.empty() ? "" : end[0][0].as<std::string>();
  }

  bool by_search() const {
    return options_.status == job_status::succeeded || options_.status == job_status::cancelled;
  }
  bool descending() const {
    return options_.status != job_status::queued && options_.status != "delayed";
  }

 private:
  std::string when_failed(const std::string& id) {
    const auto found = pg::exec(tx_, queries::failed_at, id, options_.kind);
    if (found.empty()) {
      throw bad_input("job " + id + " is not among the failed ones any more: list without --after");
    }
    return found[0][0].as<std::string>();
  }

  pqxx::dbtransaction& tx_;
  const list_options& options_;
  place place_;
  text_param after_;
  text_param failed_at_;
};

std::vector<kind_info> chosen_kinds(pqxx::dbtransaction& tx, const list_options& options) {
  auto kinds = read_kinds(tx);
  if (!options.kind) return kinds;
  const auto found = std::find_if(kinds.begin(), kinds.end(),
                                  [&](const auto& kind) { return kind.kind == *options.kind; });
  if (found == kinds.end()) throw unknown_kind(tx, *options.kind);
  return {*found};
}

page read_page(pqxx::dbtransaction& tx, const list_options& options) {
  lister list(tx, options);
  page out;
  const auto limit = static_cast<std::size_t>(options.limit);
  std::string searched;
  bool more = false;
  for (const auto& kind : chosen_kinds(tx, options)) {
    const auto rows = list.read(kind);
    for (const auto& row : rows) {
      auto job = ordered_json::parse(row[0].as<std::string>());
      use_z(job);
      out.jobs.push_back(
          {kind.kind, std::move(job), row[1].as<std::string>(), row[2].as<std::string>()});
    }
    const bool full = static_cast<std::size_t>(rows.size()) == limit;
    more = more || full;
    // Continue behind what every kind was searched for.
    if (!full && list.by_search()) searched = std::max(searched, list.searched_until(kind));
  }
  std::sort(out.jobs.begin(), out.jobs.end(), [&](const auto& a, const auto& b) {
    return list.descending() ? a.rank > b.rank : a.rank < b.rank;
  });
  more = more || out.jobs.size() > limit;
  if (out.jobs.size() > limit) out.jobs.resize(limit);
  if (more && !out.jobs.empty()) out.next = out.jobs.back().cursor;
  if (!more && !searched.empty()) out.next = searched;
  return out;
}

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
void check_columns(const page& found, const std::vector<std::string>& columns) {
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

void print_jobs(const page& found, const std::vector<std::string>& columns) {
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
  for (const auto& [kind, job, rank, cursor] : found.jobs) {
    std::vector<std::string> cells{
        cell(job, "id"),        kind,
        cell(job, "status"),    cell(job, "attempts") + "/" + cell(job, "max_attempts"),
        cell(job, "priority"),  cell(job, "run_at"),
        cell(job, "updated_at")};
    for (const auto& name : columns) cells.push_back(one_line(cell(job, name), column_width));
    if (columns.empty()) cells.push_back(own_columns(job));
    cells.push_back(one_line(cell(job, "last_error"), error_width));
    table.add(std::move(cells));
  }
  table.print(std::cout);
}

void print_table(const page& found, const list_options& options) {
  check_columns(found, options.columns);
  if (found.jobs.empty()) {
    std::cout << "no jobs\n";
  } else {
    print_jobs(found, options.columns);
  }
  if (found.next.empty()) return;
  std::cout << "more: rowrunner jobs list";
  if (options.kind) std::cout << " --kind " << *options.kind;
  if (options.status) std::cout << " --status " << *options.status;
  std::cout << " --limit " << options.limit << " --after " << found.next << '\n';
}

void print_json(const page& found) {
  ordered_json list = ordered_json::array();
  for (const auto& entry : found.jobs) list.push_back({{"kind", entry.kind}, {"job", entry.job}});
  const ordered_json next = found.next.empty() ? ordered_json() : ordered_json(found.next);
  std::cout << ordered_json{{"jobs", list}, {"next", next}} << '\n';
}

}  // namespace

void list_jobs(const command_context& context, const list_options& options) {
  if (options.kind) check_text("kind", *options.kind);
  const auto connection = connect_served(context);
  page found;
  read_jobs(*connection, [&](pqxx::dbtransaction& tx) {
    use_utc(tx);
    found = read_page(tx, options);
  });
  if (context.json) {
    print_json(found);
  } else {
    print_table(found, options);
  }
}

}  // namespace rowrunner
