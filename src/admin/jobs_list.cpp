#include "admin/jobs_list.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>

#include "admin/error.hpp"
#include "admin/kinds.hpp"
#include "admin/utc.hpp"
#include "common/schema/job_status.hpp"
#include "common/text.hpp"
#include "queries/admin.hpp"

namespace rowrunner::admin {
namespace {

using nlohmann::ordered_json;

/// Of a queue entry.
struct position {
  int priority = std::numeric_limits<std::int16_t>::min();
  std::int64_t seq = std::numeric_limits<std::int64_t>::min();
};

/// Where a page begins, in the form that the list of this status needs.
struct cursor {
  position entry;
  std::optional<std::string> id;
  std::optional<std::string> failed_at;
};

position parse_position(const std::string& text) {
  position out;
  const char* end = text.data() + text.size();
  const auto priority = std::from_chars(text.data(), end, out.priority);
  if (priority.ec == std::errc() && priority.ptr != end && *priority.ptr == ':') {
    const auto seq = std::from_chars(priority.ptr + 1, end, out.seq);
    const bool small = out.priority == static_cast<std::int16_t>(out.priority);
    if (seq.ec == std::errc() && seq.ptr == end && small) return out;
  }
  throw error(reason::bad_cursor, "'" + printable(text, 40) + "' is not a queue position");
}

asio::awaitable<std::string> when_failed(transaction& tx, const jobs_filter& filter) {
  const auto found = co_await tx.run(queries::failed_at, *filter.after, filter.kind);
  if (found.rows() == 0) {
    throw error(reason::cursor_gone,
                "job " + *filter.after + " is not among the failed ones any more");
  }
  co_return std::string(found.get(0, 0));
}

asio::awaitable<cursor> read_cursor(transaction& tx, const jobs_filter& filter) {
  cursor out;
  if (!filter.after) co_return out;
  if (filter.status == job_status::queued) {
    out.entry = parse_position(*filter.after);
    co_return out;
  }
  if (!is_uuid(*filter.after)) {
    throw error(reason::bad_cursor, "'" + printable(*filter.after, 40) + "' is not a job's id");
  }
  if (filter.status == "delayed") {
    throw error(reason::no_paging, "delayed jobs come in one page: raise the limit");
  }
  out.id = filter.after;
  if (filter.status == job_status::failed) out.failed_at = co_await when_failed(tx, filter);
  co_return out;
}

asio::awaitable<pg::result> read_kind(transaction& tx, const kind_info& kind,
                                      const jobs_filter& filter, const cursor& after) {
  const auto& status = filter.status;
  const int limit = filter.limit;
  if (status == job_status::queued) {
    return tx.run(kind, queries::jobs_waiting, kind.id, after.entry.priority, after.entry.seq,
                  limit);
  }
  if (status == "delayed") return tx.run(kind, queries::jobs_delayed, kind.id, limit);
  if (status == job_status::processing) {
    return tx.run(kind, queries::jobs_running, kind.id, after.id, limit);
  }
  if (status == job_status::failed) {
    return tx.run(kind, queries::jobs_failed, kind.id, after.failed_at, after.id, limit);
  }
  return tx.run(kind, queries::jobs_newest, after.id, status, limit);
}

/// Where a search among all jobs stopped; empty if it reached the end.
asio::awaitable<std::string> searched_until(transaction& tx, const kind_info& kind,
                                            const cursor& after) {
  const auto end = co_await tx.run(kind, queries::jobs_page_end, after.id);
  co_return end.rows() == 0 ? std::string() : std::string(end.get(0, 0));
}

/// No index knows these.
bool is_searched(const jobs_filter& filter) {
  return filter.status == job_status::succeeded || filter.status == job_status::cancelled;
}

bool is_descending(const jobs_filter& filter) {
  return filter.status != job_status::queued && filter.status != "delayed";
}

/// The jobs of all kinds, to be merged by rank.
struct candidates {
  struct job {
    listed_job listed;
    std::string rank;
    std::string cursor;
  };

  std::vector<job> jobs;
  /// A kind has a whole page, so there may be more of it.
  bool full = false;
  std::string searched;

  void add(const kind_info& kind, const pg::result& rows) {
    for (int row = 0; row < rows.rows(); ++row) {
      auto parsed = ordered_json::parse(rows.get(row, 0));
      use_z(parsed);
      jobs.push_back({{kind.kind, std::move(parsed)},
                      std::string(rows.get(row, 1)),
                      std::string(rows.get(row, 2))});
    }
  }
};

jobs_page merge(candidates found, const jobs_filter& filter) {
  const auto limit = static_cast<std::size_t>(filter.limit);
  const bool descending = is_descending(filter);
  std::sort(found.jobs.begin(), found.jobs.end(), [descending](const auto& a, const auto& b) {
    return descending ? a.rank > b.rank : a.rank < b.rank;
  });
  const bool more = found.full || found.jobs.size() > limit;
  if (found.jobs.size() > limit) found.jobs.resize(limit);
  std::string next;
  if (more && !found.jobs.empty()) next = found.jobs.back().cursor;
  if (!more) next = found.searched;
  jobs_page out;
  if (!next.empty()) out.next = next;
  for (auto& each : found.jobs) out.jobs.push_back(std::move(each.listed));
  return out;
}

asio::awaitable<jobs_page> read_page(transaction& tx, const jobs_filter& filter) {
  const auto after = co_await read_cursor(tx, filter);
  const auto kinds = co_await choose_kinds(tx, filter.kind);
  candidates found;
  for (const auto& kind : kinds) {
    const auto rows = co_await read_kind(tx, kind, filter, after);
    found.add(kind, rows);
    const bool full = rows.rows() == filter.limit;
    found.full = found.full || full;
    if (full || !is_searched(filter)) continue;
    // The next page goes on behind what every kind was searched for.
    const auto end = co_await searched_until(tx, kind, after);
    found.searched = std::max(found.searched, end);
  }
  co_return merge(std::move(found), filter);
}

}  // namespace

asio::awaitable<jobs_page> list_jobs(pg::session& session, jobs_filter filter) {
  const auto read = [&](transaction& tx) { return read_page(tx, filter); };
  co_return co_await read_jobs(session, read);
}

}  // namespace rowrunner::admin
