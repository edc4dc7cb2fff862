#include "admin/cancel.hpp"
#include "admin/kinds.hpp"
#include "admin/retry.hpp"
#include "api/ask.hpp"
#include "api/find_job.hpp"
#include "api/parameters.hpp"
#include "api/routes.hpp"
#include "common/text.hpp"
#include "queries/api.hpp"

namespace rowrunner::api {
namespace {

using admin::transaction;
using nlohmann::ordered_json;

job_key key_of(const request& asked) {
  return {asked.params.find("kind")->second, id_parameter(asked)};
}

ordered_json changed(const job_key& key, const std::string& status, const std::string& result) {
  return {{"kind", key.kind}, {"id", key.id}, {"status", status}, {"result", result}};
}

struct cancel_wish {
  std::optional<std::string> reason;
  bool cascade = false;
};

/// An empty body wishes nothing.
cancel_wish read_wish(const request& asked) {
  cancel_wish out;
  if (asked.body.empty()) return out;
  nlohmann::json body;
  if (auto why = read_object(asked, {"reason", "cascade"}, body)) throw request_error(*why);
  if (body.contains("reason") && !body["reason"].is_null()) {
    std::string reason;
    if (auto why = read_text(body, "reason", reason)) throw request_error(*why);
    out.reason = printable(reason, 500);
  }
  if (body.contains("cascade")) {
    if (!body["cascade"].is_boolean()) {
      throw request_error(problem(400, "bad_member", "the member 'cascade' must be a boolean"));
    }
    out.cascade = body["cascade"].get<bool>();
  }
  return out;
}

asio::awaitable<std::string> release(pg::session& session, job_key key) {
  const auto write = [&](transaction& tx) -> asio::awaitable<std::string> {
    co_await admin::choose_kinds(tx, key.kind);
    const auto row = co_await tx.run(queries::run_now, key.kind, key.id);
    co_return row.is_null(0, 0) ? std::string() : std::string(row.get(0, 0));
  };
  co_return co_await admin::in_transaction(session, write);
}

asio::awaitable<answer> set_paused(services& with, const request& asked, bool paused) {
  const std::string& kind = asked.params.find("kind")->second;
  const auto mine = co_await borrow_session(with);
  co_await admin::set_paused(*mine, kind, paused);
  co_return answer(200, ordered_json{{"kind", kind}, {"paused", paused}});
}

}  // namespace

asio::awaitable<answer> retry_job(services& with, const request& asked) {
  const auto key = key_of(asked);
  const auto mine = co_await borrow_session(with);
  co_await require_own(*mine, asked.who, key);
  const std::vector<std::string> ids{key.id};
  co_await admin::retry_jobs(*mine, ids, key.kind);
  co_return answer(200, changed(key, "queued", "queued"));
}

asio::awaitable<answer> cancel_job(services& with, const request& asked) {
  const auto key = key_of(asked);
  const auto wish = read_wish(asked);
  if (wish.cascade && asked.who.as == role::user) {
    throw request_error(problem(403, "forbidden", "the jobs that wait for it may not be yours"));
  }
  const auto mine = co_await borrow_session(with);
  co_await require_own(*mine, asked.who, key);
  const std::vector<std::string> ids{key.id};
  const auto done = co_await admin::cancel_jobs(*mine, ids, wish.reason, wish.cascade, key.kind);
  const auto& result = done.front().result;
  co_return answer(200, changed(key, result.status, result.what));
}

asio::awaitable<answer> run_job_now(services& with, const request& asked) {
  const auto key = key_of(asked);
  const auto mine = co_await borrow_session(with);
  co_await require_own(*mine, asked.who, key);
  const auto status = co_await release(*mine, key);
  if (status.empty()) throw request_error(problem(404, "not_found", "no job has the id " + key.id));
  if (status == "held") {
    throw request_error(problem(
        409, "conflict", "job " + key.id + " waits for others: it runs when they have ended"));
  }
  if (status != "queued") {
    throw request_error(problem(
        409, "conflict", "job " + key.id + " is " + status + ": only a waiting one can run"));
  }
  co_return answer(200, changed(key, "queued", "queued"));
}

asio::awaitable<answer> pause_kind(services& with, const request& asked) {
  return set_paused(with, asked, true);
}

asio::awaitable<answer> resume_kind(services& with, const request& asked) {
  return set_paused(with, asked, false);
}

}  // namespace rowrunner::api
