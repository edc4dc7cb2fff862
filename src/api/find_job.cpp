#include "api/find_job.hpp"

#include "admin/error.hpp"
#include "admin/kinds.hpp"
#include "api/message.hpp"
#include "common/pg/array.hpp"
#include "common/text.hpp"
#include "queries/api.hpp"

namespace rowrunner::api {
namespace {

using admin::transaction;

asio::awaitable<std::string> id_of(transaction& tx, const served_kind& kind, std::string given) {
  if (kind.public_id.empty() && !is_uuid(given)) co_return "";
  const query& which = kind.public_id.empty() ? queries::job_of_id : queries::job_by_public_id;
  const auto text = kind.fill_in(which);
  const query filled{which.name, text};
  const auto rows = co_await tx.run(filled, given);
  co_return rows.rows() == 0 ? std::string() : std::string(rows.get(0, 0));
}

asio::awaitable<std::optional<job_state>> read_state(transaction& tx, const served_kind& kind,
                                                     std::string id) {
  const auto text = kind.fill_in(queries::watched_jobs);
  const query filled{queries::watched_jobs.name, text};
  const std::vector<std::string> ids{id};
  const auto rows = co_await tx.run(filled, kind.id, pg::array(ids));
  std::optional<job_state> out;
  if (rows.rows() > 0) out = read_job_state(kind.kind, rows, 0);
  co_return out;
}

/// How long a locked table keeps those waiting whose job is probably in another one.
constexpr const char* short_wait = "50ms";

struct candidates {
  std::vector<job_state> found;
  std::vector<served_kind> unread;
};

/// Adds the job of this kind that has the id, if there is one. Gives the failure of a kind that
/// could not be read.
asio::awaitable<std::exception_ptr> look_in(transaction& tx, const served_kind& kind,
                                            std::string given, std::vector<job_state>& into) {
  std::exception_ptr failure;
  try {
    const auto id = co_await id_of(tx, kind, given);
    if (id.empty()) co_return failure;
    auto state = co_await read_state(tx, kind, id);
    if (state) into.push_back(std::move(*state));
    co_return failure;
  } catch (const pg::query_error&) {
    failure = std::current_exception();
  }
  co_await tx.undo_to_savepoint();
  co_return failure;
}

}  // namespace

asio::awaitable<std::optional<job_state>> find_by_public_id(pg::session& session, std::string id,
                                                            job_test preferred) {
  const auto read = [&](transaction& tx) -> asio::awaitable<std::optional<job_state>> {
    auto kinds = co_await read_served_kinds(tx);
    co_await tx.run(queries::lock_timeout, short_wait);
    co_await tx.set_savepoint();
    candidates seen;
    for (auto& kind : kinds) {
      const auto failure = co_await look_in(tx, kind, id, seen.found);
      if (failure) seen.unread.push_back(std::move(kind));
      if (!seen.found.empty() && preferred(seen.found.back())) co_return seen.found.back();
    }
    if (!seen.found.empty()) co_return seen.found.front();
    co_await tx.run(queries::lock_timeout, "2s");
    std::exception_ptr unreadable;
    for (const auto& kind : seen.unread) {
      const auto failure = co_await look_in(tx, kind, id, seen.found);
      if (failure) unreadable = failure;
      if (!seen.found.empty()) co_return seen.found.front();
    }
    if (unreadable) std::rethrow_exception(unreadable);
    co_return std::nullopt;
  };
  co_return co_await admin::read_jobs(session, read);
}

asio::awaitable<bool> belongs_to(pg::session& session, std::string user, job_key key) {
  const auto read = [&](transaction& tx) -> asio::awaitable<bool> {
    const auto kinds = co_await read_served_kinds(tx);
    for (const auto& kind : kinds) {
      if (kind.kind != key.kind) continue;
      const auto text = kind.fill_in(queries::job_is_of_user);
      const query filled{queries::job_is_of_user.name, text};
      const auto rows = co_await tx.run(filled, key.id, user);
      if (rows.rows() == 0) {
        throw admin::error(admin::reason::no_such_job, "no job has the id " + key.id);
      }
      co_return rows.get_bool(0, 0);
    }
    co_await admin::throw_unknown_kind(tx, key.kind);
    co_return false;
  };
  co_return co_await admin::read_jobs(session, read);
}

asio::awaitable<void> require_own(pg::session& session, const identity& who, job_key key) {
  if (who.as != role::user) co_return;
  const bool own = co_await belongs_to(session, who.user, key);
  if (!own) throw request_error(problem(403, "forbidden", "this job is not yours"));
}

}  // namespace rowrunner::api
