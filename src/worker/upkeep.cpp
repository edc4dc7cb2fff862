#include "worker/upkeep.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <nlohmann/json.hpp>

#include "common/pg/array.hpp"
#include "common/pg/error.hpp"
#include "common/text.hpp"
#include "common/version.hpp"
#include "queries/engine.hpp"

namespace rowrunner {

namespace asio = boost::asio;

namespace {

constexpr std::chrono::seconds between_rounds{5};
constexpr int rounds_between_reports = 2;
constexpr int rounds_between_sweeps = 120;
constexpr int rounds_between_vacuum_polls = 6;
constexpr std::size_t longest_reason = 1000;
constexpr int retention_batch = 1000;
constexpr int sweep_pages = 1000;
constexpr int drain_sweep_pages = 20;
constexpr std::chrono::seconds longest_pass{10};
constexpr const char* before_all_ids = "00000000-0000-0000-0000-000000000000";

}  // namespace

upkeep::upkeep(asio::io_context& io, pg::session& session, const lane_list& lanes, logger& log,
               std::string worker_name, std::chrono::milliseconds vacuum_blocker_alarm)
    : io_(io),
      session_(session),
      lanes_(lanes),
      log_(log),
      worker_name_(std::move(worker_name)),
      vacuum_(session, log, vacuum_blocker_alarm),
      worker_seen_(queries::worker_seen.statement()),
      worker_gone_(queries::worker_gone.statement()),
      count_(queries::count.statement()),
      sweep_(queries::sweep.statement()),
      write_settings_(queries::write_settings.statement()) {}

/// The kinds of which nothing can be claimed, each with the reason, as JSON.
std::string upkeep::problems() const {
  auto found = nlohmann::json::object();
  for (const auto& lane : lanes_) {
    const auto& reason = lane->claims.problem();
    if (!reason.empty()) found[lane->kind.kind] = printable(reason, longest_reason);
  }
  return found.dump();
}

asio::awaitable<void> upkeep::report() {
  std::vector<std::string> kinds;
  for (const auto& lane : lanes_) kinds.push_back(lane->kind.kind);
  reported_ = problems();
  co_await session_.run_one(
      pg::with(worker_seen_, worker_name_, pg::array(kinds), std::string{version}, reported_));
}

asio::awaitable<void> upkeep::begin() { return report(); }

asio::awaitable<void> upkeep::run() {
  asio::steady_timer timer(io_);
  for (int round = 1;; ++round) {
    timer.expires_after(between_rounds);
    co_await timer.async_wait(asio::use_awaitable);
    try {
      co_await save_counters();
      if (round % rounds_between_reports == 0 || problems() != reported_) co_await report();
      if (round % rounds_between_sweeps == 0) co_await sweep();
      for (auto& lane : lanes_) co_await retire_old_jobs(*lane);
      if (round % rounds_between_vacuum_polls == 1) co_await vacuum_.poll();
    } catch (const pg::error& e) {
      log_.warn("upkeep failed", {{"reason", e.what()}});
    }
  }
}

asio::awaitable<void> upkeep::end() {
  co_await save_counters();
  co_await session_.run_one(pg::with(worker_gone_, worker_name_));
}

asio::awaitable<void> upkeep::save_counters() {
  for (auto& lane : lanes_) {
    const auto counts = lane->counts.take_unsaved();
    const std::int64_t values[] = {counts.claimed, counts.succeeded, counts.failed, counts.retried,
                                   counts.rescued, counts.released,  counts.refused};
    std::vector<pg::param> params{std::to_string(lane->kind.id), worker_name_};
    bool anything = false;
    for (const auto value : values) {
      params.emplace_back(std::to_string(value));
      anything = anything || value != 0;
    }
    // What is lost with a failing database is missing from a chart, not from the record.
    if (anything) co_await session_.run_one(pg::call(count_, std::move(params)));
  }
}

asio::awaitable<void> upkeep::sweep() {
  const auto next =
      co_await session_.run_one(pg::with(sweep_, sweep_page_, std::to_string(sweep_pages)));
  sweep_page_ = next.is_null(0, 0) ? "0" : std::string{next.get(0, 0)};
}

/// One stretch of the walk through the kind's jobs, or more where most are old. At the end it
/// starts over. What fails for one kind is tried again later, and the others go on.
asio::awaitable<void> upkeep::retire_old_jobs(lane& lane) {
  auto& [behind_id, tries] = walks_[&lane];
  if (!tries.due(lane_backoff::clock::now())) co_return;
  try {
    while (co_await retire_stretch(lane, behind_id) == stretch::mostly_old) {
    }
    tries.reset();
  } catch (const pg::query_error& e) {
    if (pg::classify(e.sqlstate()) == pg::error_class::connection) throw;
    tries.failed(lane_backoff::clock::now());
    log_.warn("retention failed", {{"kind", lane.kind.kind}, {"reason", e.what()}});
  }
}

asio::awaitable<upkeep::stretch> upkeep::retire_stretch(const lane& lane, std::string& cursor) {
  const auto answers = co_await session_.run(pg::together(
      pg::with(write_settings_), pg::with(lane.sql.retention, std::to_string(lane.kind.id), cursor,
                                          std::to_string(retention_batch))));
  const auto& row = answers.back();
  const auto seen_jobs = row.get_int(0, 1);
  const auto deleted = row.get_int(0, 2);
  if (deleted > 0) {
    log_.info("old jobs were deleted", {{"kind", lane.kind.kind}, {"jobs", deleted}});
  }
  const bool at_end = seen_jobs < retention_batch;
  cursor = at_end ? before_all_ids : std::string{row.get(0, 0)};
  if (at_end) co_return stretch::last;
  co_return deleted * 2 < retention_batch ? stretch::mostly_young : stretch::mostly_old;
}

asio::awaitable<void> upkeep::pass(std::function<bool()> stop) {
  const auto deadline = lane_backoff::clock::now() + longest_pass;
  const auto go_on = [&] { return !stop() && lane_backoff::clock::now() < deadline; };
  for (auto& lane : lanes_) {
    try {
      std::string cursor = before_all_ids;
      while (go_on() && co_await retire_stretch(*lane, cursor) != stretch::last) {
      }
    } catch (const pg::error& e) {
      log_.warn("retention failed", {{"kind", lane->kind.kind}, {"reason", e.what()}});
    }
  }
  try {
    // A drain should end soon, so it sweeps a part: the first pages and some others, so that many
    // drains come to all of them, and on behind pages where something was removed.
    std::vector<pg::param> starts(2);
    starts.front() = pg::param("0");
    for (auto& page : starts) {
      bool more = go_on();
      while (more) {
        const auto swept =
            co_await session_.run_one(pg::with(sweep_, page, std::to_string(drain_sweep_pages)));
        more = swept.get_int(0, 1) > 0 && !swept.is_null(0, 0) && go_on();
        page = pg::param(std::string{swept.get(0, 0)});
      }
    }
  } catch (const pg::error& e) {
    log_.warn("upkeep failed", {{"reason", e.what()}});
  }
}

}  // namespace rowrunner
