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

}  // namespace

asio::awaitable<std::optional<job_state>> find_by_public_id(pg::session& session, std::string id) {
  const auto read = [&](transaction& tx) -> asio::awaitable<std::optional<job_state>> {
    const auto kinds = co_await read_served_kinds(tx);
    for (const auto& kind : kinds) {
      const auto found = co_await id_of(tx, kind, id);
      if (found.empty()) continue;
      co_return co_await read_state(tx, kind, found);
    }
    co_return std::nullopt;
  };
  co_return co_await admin::read_jobs(session, read);
}

asio::awaitable<std::optional<std::string>> read_owner(pg::session& session, job_key key) {
  const auto read = [&](transaction& tx) -> asio::awaitable<std::optional<std::string>> {
    const auto kinds = co_await read_served_kinds(tx);
    for (const auto& kind : kinds) {
      if (kind.kind != key.kind) continue;
      const auto text = kind.fill_in(queries::job_owner);
      const query filled{queries::job_owner.name, text};
      const auto rows = co_await tx.run(filled, key.id);
      if (rows.rows() == 0) {
        throw admin::error(admin::reason::no_such_job, "no job has the id " + key.id);
      }
      if (rows.is_null(0, 0)) co_return std::nullopt;
      co_return std::string(rows.get(0, 0));
    }
    co_await admin::throw_unknown_kind(tx, key.kind);
    co_return std::nullopt;
  };
  co_return co_await admin::read_jobs(session, read);
}

asio::awaitable<void> require_own(pg::session& session, const identity& who, job_key key) {
  if (who.as != role::user) co_return;
  const auto owner = co_await read_owner(session, key);
  if (owner != who.user) throw request_error(problem(403, "forbidden", "this job is not yours"));
}

}  // namespace rowrunner::api
