#include "api/job_watch.hpp"

#include <algorithm>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <list>

#include "common/pg/array.hpp"
#include "common/pg/error.hpp"
#include "common/uuid.hpp"
#include "queries/api.hpp"

namespace rowrunner::api {
namespace {

using clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kinds_are_fresh_for{5};

}  // namespace

job_watch::viewer::viewer(const job_watch& of, const std::vector<job_key>& jobs,
                          std::uint64_t after)
    : woken(of.executor_), board_(of.board_), jobs_(jobs.begin(), jobs.end()) {
  bool unread = false;
  for (const auto& key : jobs_) {
    auto& watched = board_->jobs[key];
    watched.viewers.insert(this);
    unread = unread || !watched.newest.newest;
    if (watched.newest.newest && watched.newest.number > after) changed_.insert(key);
  }
  ++board_->viewers;
  if (!changed_.empty()) woken.set();
  if (unread) board_->wanted.set();
}

job_watch::viewer::~viewer() {
  --board_->viewers;
  for (const auto& key : jobs_) {
    const auto watched = board_->jobs.find(key);
    watched->second.viewers.erase(this);
    if (watched->second.viewers.empty()) board_->jobs.erase(watched);
  }
}

std::vector<job_watch::change> job_watch::viewer::take() {
  std::vector<change> out;
  for (const auto& key : changed_) out.push_back(board_->jobs.at(key).newest);
  changed_.clear();
  std::sort(out.begin(), out.end(),
            [](const change& a, const change& b) { return a.number < b.number; });
  return out;
}

job_watch::job_watch(const boost::asio::any_io_executor& executor, const pg::settings& database,
                     std::shared_ptr<logger> log)
    : executor_(executor),
      log_(std::move(log)),
      epoch_(uuid_maker().next()),
      session_(executor, database),
      board_(std::make_shared<board>(executor)) {}

std::uint64_t job_watch::newest_change() const { return board_->changes; }
std::size_t job_watch::watched() const { return board_->jobs.size(); }
std::size_t job_watch::viewers() const { return board_->viewers; }

boost::asio::awaitable<void> job_watch::run() {
  boost::asio::steady_timer timer(executor_);
  for (;;) {
    co_await board_->wanted.wait_for(board_->jobs.empty() ? std::chrono::hours(1)
                                                          : clock::duration(tick));
    if (board_->jobs.empty()) continue;
    try {
      co_await read_all();
    } catch (const pg::error& error) {
      log_->warn("watched jobs could not be read", {{"error", error.what()}});
    }
    timer.expires_after(shortest_gap);
    co_await timer.async_wait(boost::asio::use_awaitable);
  }
}

boost::asio::awaitable<void> job_watch::read_all() {
  // What is wanted comes first, so that kinds read now are newer than every wish.
  const auto wanted = wanted_by_kind();
  kinds_are_new_ = clock::now() - kinds_read_ > kinds_are_fresh_for;
  if (kinds_are_new_) co_await read_kinds();
  bool refused = false;
  try {
    co_await read_together(wanted);
  } catch (const pg::query_error&) {
    refused = true;
  }
  if (refused) co_await read_each(wanted);
}

boost::asio::awaitable<void> job_watch::read_kinds() {
  const auto statement = queries::served_kinds.statement();
  const auto rows = co_await session_.run_one(pg::with(statement));
  kinds_ = served_kinds_of(rows);
  kinds_read_ = clock::now();
}

/// The table of one kind may be locked or gone, which must not blind the viewers of the others.
boost::asio::awaitable<void> job_watch::read_each(std::map<std::string, ids> all) {
  kinds_read_ = {};
  for (const auto& [kind, wanted] : all) {
    std::map<std::string, ids> one;
    one.emplace(kind, wanted);
    try {
      co_await read_together(std::move(one));
    } catch (const pg::query_error& error) {
      log_->warn("watched jobs of a kind could not be read",
                 {{"kind", kind}, {"error", error.what()}});
    }
  }
}

boost::asio::awaitable<void> job_watch::read_together(std::map<std::string, ids> wanted) {
  std::list<pg::statement> statements;
  std::vector<pg::call> calls;
  std::vector<const std::pair<const std::string, ids>*> asked;
  const pg::result none;
  for (const auto& each : wanted) {
    const auto* kind = kind_named(each.first);
    if (!kind) {
      note(each.first, each.second, none);
      continue;
    }
    // Without a name: the text changes when a table is attached again.
    statements.push_back({"", kind->fill_in(queries::watched_jobs)});
    calls.push_back(pg::with(statements.back(), std::to_string(kind->id), pg::array(each.second)));
    asked.push_back(&each);
  }
  if (calls.empty()) co_return;
  const auto answers = co_await session_.run(std::move(calls));
  for (std::size_t i = 0; i < asked.size(); ++i) {
    note(asked[i]->first, asked[i]->second, answers[i]);
  }
}

std::map<std::string, job_watch::ids> job_watch::wanted_by_kind() const {
  std::map<std::string, ids> out;
  for (const auto& [key, watched] : board_->jobs) out[key.kind].push_back(key.id);
  return out;
}

const served_kind* job_watch::kind_named(const std::string& name) const {
  const auto found = std::find_if(kinds_.begin(), kinds_.end(),
                                  [&](const served_kind& each) { return each.kind == name; });
  return found == kinds_.end() ? nullptr : &*found;
}

void job_watch::note(const std::string& kind, const ids& wanted, const pg::result& rows) {
  std::set<std::string> missing(wanted.begin(), wanted.end());
  for (int row = 0; row < rows.rows(); ++row) {
    auto seen = read_job_state(kind, rows, row);
    missing.erase(seen.key.id);
    note(std::move(seen));
  }
  for (const auto& id : missing) note_gone({kind, id});
}

/// A kind that was attached a moment ago is not in a list of kinds that is older. So a job is gone
/// only if a list says so that was read after the job was wanted.
void job_watch::note_gone(job_key which) {
  const auto found = board_->jobs.find(which);
  if (found == board_->jobs.end()) return;
  const auto& newest = found->second.newest.newest;
  if (newest && !newest->exists()) return;
  if (!kinds_are_new_) {
    kinds_read_ = {};
    board_->wanted.set();
    return;
  }
  job_state gone;
  gone.key = std::move(which);
  note(std::move(gone));
}

void job_watch::note(job_state seen) {
  const auto found = board_->jobs.find(seen.key);
  if (found == board_->jobs.end()) return;  // its last viewer has left meanwhile
  auto& watched = found->second;
  if (watched.newest.newest && *watched.newest.newest == seen) return;
  watched.newest.number = ++board_->changes;
  watched.newest.newest = std::make_shared<const job_state>(std::move(seen));
  for (viewer* each : watched.viewers) {
    each->changed_.insert(found->first);
    each->woken.set();
  }
}

}  // namespace rowrunner::api
