#include "admin/job_details.hpp"
#include "admin/jobs_list.hpp"
#include "admin/kinds.hpp"
#include "api/ask.hpp"
#include "api/find_job.hpp"
#include "api/job_json.hpp"
#include "api/overview.hpp"
#include "api/parameters.hpp"
#include "api/routes.hpp"
#include "common/schema/job_status.hpp"
#include "queries/admin.hpp"
#include "queries/api.hpp"

namespace rowrunner::api {
namespace {

using admin::transaction;
using nlohmann::ordered_json;

constexpr int most_counted = 10'000;

void check_status(const std::optional<std::string>& status) {
  if (!status || *status == "delayed") return;
  const auto& known = job_status::all;
  if (std::find(known.begin(), known.end(), *status) != known.end()) return;
  throw request_error(problem(400, "bad_parameter",
                              "status must be queued, delayed, processing, succeeded, failed or "
                              "cancelled"));
}

/// Which kind's jobs to count; nothing stands for all.
asio::awaitable<std::optional<std::int64_t>> id_of_kind(transaction& tx,
                                                        std::optional<std::string> kind) {
  std::optional<std::int64_t> out;
  if (kind) {
    const auto found = co_await admin::choose_kinds(tx, kind);
    out = found.front().id;
  }
  co_return out;
}

std::optional<std::string> as_text(std::optional<std::int64_t> number) {
  if (!number) return std::nullopt;
  return std::to_string(*number);
}

asio::awaitable<ordered_json> count_jobs(pg::session& session, std::optional<std::string> kind,
                                         std::optional<std::string> status) {
  const auto read = [&](transaction& tx) -> asio::awaitable<ordered_json> {
    const auto id = co_await id_of_kind(tx, kind);
    co_await tx.run(queries::read_settings);
    const auto count = co_await tx.run(queries::jobs_count, as_text(id), status, most_counted + 1);
    if (count.is_null(0, 0)) co_return ordered_json();
    const bool exact = status == job_status::processing;
    const auto n = count.get_int(0, 0);
    co_return count_json(n, exact ? n : most_counted);
  };
  if (!status) co_return ordered_json();
  co_return co_await admin::in_transaction(session, read);
}

/// No index knows these, so only the newest jobs are searched.
bool is_searched(const admin::jobs_filter& filter) {
  return filter.status == job_status::succeeded || filter.status == job_status::cancelled;
}

ordered_json causes_json(const std::vector<admin::wait_cause>& causes) {
  ordered_json out = ordered_json::array();
  for (const auto& each : causes) {
    ordered_json cause{{"code", each.code}, {"message", each.text}};
    cause.update(each.facts);
    out.push_back(std::move(cause));
  }
  return out;
}

asio::awaitable<ordered_json> seconds_left(pg::session& session, std::string kind, std::string id) {
  const auto read = [&](transaction& tx) -> asio::awaitable<ordered_json> {
    const auto kinds = co_await admin::choose_kinds(tx, kind);
    const auto rows = co_await tx.run(kinds.front(), queries::time_left, kinds.front().id, id);
    if (rows.rows() == 0 || rows.is_null(0, 0)) co_return ordered_json();
    co_return ordered_json(std::stod(std::string(rows.get(0, 0))));
  };
  co_return co_await admin::read_jobs(session, read);
}

asio::awaitable<ordered_json> describe(services& with, pg::session& session, const request& asked) {
  const std::string& kind = asked.params.find("kind")->second;
  const auto id = id_parameter(asked);
  const job_key key{kind, id};
  co_await require_own(session, asked.who, key);
  const auto found = co_await admin::show_job(session, id, with.limits.vacuum_alarm, kind);
  ordered_json out{{"kind", found.kind},
                   {"id", found.job.at("id")},
                   {"status", found.job.at("status")},
                   {"job", found.job},
                   {"own", own_columns(found.job)},
                   {"steps", found.steps},
                   {"progress", found.progress},
                   {"seconds_left", nullptr},
                   {"attempts", found.attempts},
                   {"waits_because", nullptr},
                   {"waits", causes_json(found.waits)}};
  if (found.waits_because) out["waits_because"] = *found.waits_because;
  if (!found.progress.is_null()) out["seconds_left"] = co_await seconds_left(session, kind, id);
  co_return out;
}

/// Until the job has ended, is gone or time is over. No session is kept meanwhile.
asio::awaitable<void> wait_for_end(services& with, const request& asked, int seconds) {
  using clock = std::chrono::steady_clock;
  const auto deadline = clock::now() + std::chrono::seconds(seconds);
  std::vector<job_key> jobs;
  jobs.push_back({asked.params.find("kind")->second, lower_case(id_parameter(asked))});
  job_watch::viewer viewer(with.live, jobs);
  for (auto now = clock::now(); now < deadline; now = clock::now()) {
    co_await viewer.woken.wait_for(deadline - now);
    for (const auto& change : viewer.take()) {
      if (!change.newest->exists() || change.newest->has_ended()) co_return;
    }
  }
}

}  // namespace

asio::awaitable<answer> list_jobs(services& with, const request& asked) {
  admin::jobs_filter filter;
  filter.kind = parameter(asked, "kind");
  filter.status = parameter(asked, "status");
  filter.limit = number_parameter(asked, "limit", 50, 1, 200);
  filter.after = parameter(asked, "after");
  check_status(filter.status);
  const auto mine = co_await borrow_session(with);
  const auto page = co_await admin::list_jobs(*mine, filter);
  ordered_json items = ordered_json::array();
  for (const auto& each : page.jobs) items.push_back(job_json(each.kind, each.job));
  const bool cut_off = is_searched(filter) && page.next && items.size() < std::size_t(filter.limit);
  ordered_json out{{"items", items}, {"next", nullptr}, {"complete", !cut_off}};
  if (page.next) out["next"] = *page.next;
  out["count"] = co_await count_jobs(*mine, filter.kind, filter.status);
  co_return answer(200, out);
}

asio::awaitable<answer> show_job(services& with, const request& asked) {
  const int seconds = number_parameter(asked, "wait", 0, 0, 30);
  const auto read = [&](pg::session& session) { return describe(with, session, asked); };
  auto out = co_await with_session(with, read);
  const auto status = out.at("status").get<std::string>();
  if (seconds > 0 && (status == job_status::queued || status == job_status::processing)) {
    co_await wait_for_end(with, asked, seconds);
    out = co_await with_session(with, read);
  }
  co_return answer(200, out);
}

asio::awaitable<answer> show_queue(services& with, const request& asked) {
  const auto kind = parameter(asked, "kind");
  const int limit = number_parameter(asked, "limit", 50, 1, 200);
  const auto read = [&](transaction& tx) -> asio::awaitable<ordered_json> {
    const auto kinds = co_await admin::choose_kinds(tx, kind);
    co_await tx.run(queries::read_settings);
    ordered_json lengths = ordered_json::array(), items = ordered_json::array();
    std::int64_t total = 0;
    std::optional<double> oldest;
    for (const auto& each : kinds) {
      const auto id = std::to_string(each.id);
      const auto count = co_await tx.run(queries::jobs_count, id, "queued", most_counted + 1);
      const auto seconds = co_await tx.run(each, queries::oldest_waiting, each.id);
      const auto left = limit - static_cast<int>(items.size());
      const auto first = co_await tx.run(queries::queue_items, each.id, left);
      for (int row = 0; row < first.rows(); ++row) items.push_back(first.get(row, 0));
      total += count.get_int(0, 0);
      lengths.push_back(
          {{"kind", each.kind}, {"length", count_json(count.get_int(0, 0), most_counted)}});
      if (!seconds.is_null(0, 0)) {
        oldest = std::max(oldest.value_or(0), std::stod(std::string(seconds.get(0, 0))));
      }
    }
    ordered_json out{{"kind", nullptr}, {"length", count_json(total, most_counted)}};
    if (kind) out["kind"] = *kind;
    out["oldest_waiting_seconds"] = oldest ? ordered_json(*oldest) : ordered_json();
    out["items"] = items;
    out["kinds"] = lengths;
    co_return out;
  };
  const auto mine = co_await borrow_session(with);
  const auto out = co_await admin::read_jobs(*mine, read);
  co_return answer(200, out);
}

}  // namespace rowrunner::api
