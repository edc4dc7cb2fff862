#include "admin/job_details.hpp"

#include <algorithm>

#include "admin/error.hpp"
#include "admin/kinds.hpp"
#include "admin/utc.hpp"
#include "admin/wait_reason.hpp"
#include "common/schema/vacuum_blocker.hpp"
#include "common/text.hpp"
#include "queries/admin.hpp"
#include "queries/engine.hpp"

namespace rowrunner::admin {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t longest_reason = 2000;

asio::awaitable<ordered_json> read_json(transaction& tx, const query& statement,
                                        const kind_info& kind, std::string id) {
  const auto rows = co_await tx.run(statement, kind.id, id);
  if (rows.rows() == 0) co_return ordered_json();
  auto out = ordered_json::parse(rows.get(0, 0));
  if (out.is_object()) use_z(out);
  if (out.is_array()) std::for_each(out.begin(), out.end(), use_z);
  co_return out;
}

asio::awaitable<void> say_why_it_waits(transaction& tx, const kind_info& kind, std::string id,
                                       std::chrono::milliseconds alarm, job_details& out) {
  auto facts = co_await read_wait_facts(tx, kind, id);
  const auto blockers = read_vacuum_blockers(co_await tx.run(queries::vacuum_blockers));
  for (const auto& blocker : blockers) {
    if (holds_too_long(blocker, alarm)) facts.vacuum_blocker = text_of(blocker);
  }
  out.waits = wait_causes(facts);
  const auto because = wait_reason(facts);
  if (!because.empty()) out.waits_because = printable(because, longest_reason);
}

}  // namespace

asio::awaitable<found_job> find_job(transaction& tx, const std::vector<kind_info>& kinds,
                                    std::string id) {
  for (const auto& kind : kinds) {
    const auto rows = co_await tx.run(kind, queries::job_by_id, id);
    if (rows.rows() == 0) continue;
    found_job found{kind, ordered_json::parse(rows.get(0, 0))};
    co_return found;
  }
  throw error(reason::no_such_job, "no job has the id " + id);
}

asio::awaitable<job_details> show_job(pg::session& session, std::string id,
                                      std::chrono::milliseconds alarm,
                                      std::optional<std::string> kind) {
  const auto read = [&](transaction& tx) -> asio::awaitable<job_details> {
    const auto kinds = co_await choose_kinds(tx, kind);
    auto found = co_await find_job(tx, kinds, id);
    job_details out;
    out.kind = found.kind.kind;
    out.job = std::move(found.row);
    use_z(out.job);
    out.steps = co_await read_json(tx, queries::job_steps, found.kind, id);
    out.progress = co_await read_json(tx, queries::job_progress, found.kind, id);
    out.attempts = co_await read_json(tx, queries::job_attempts, found.kind, id);
    co_await say_why_it_waits(tx, found.kind, id, alarm, out);
    co_return out;
  };
  co_return co_await read_jobs(session, read);
}

}  // namespace rowrunner::admin
