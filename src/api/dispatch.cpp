#include "api/dispatch.hpp"

#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/websocket/rfc6455.hpp>
#include <exception>

#include "admin/error.hpp"
#include "api/authenticate.hpp"
#include "api/hourly_limit.hpp"
#include "api/pages.hpp"
#include "api/parameters.hpp"
#include "api/services.hpp"
#include "common/errors.hpp"
#include "common/pg/error.hpp"

namespace rowrunner::api {
namespace {

problem unavailable(std::string why) {
  problem out(503, "unavailable", std::move(why), true);
  out.headers.emplace_back("Retry-After", "2");
  return out;
}

problem problem_of(const admin::error& error) {
  switch (error.why()) {
    case admin::reason::no_such_job:
    case admin::reason::unknown_kind:
      return {404, "not_found", error.what()};
    case admin::reason::wrong_status:
      return {409, "conflict", error.what()};
    case admin::reason::job_locked:
    case admin::reason::table_locked:
    case admin::reason::schema_unfit:
      return unavailable(error.what());
    default:
      return {400, "bad_request", error.what()};
  }
}

/// The error of the database stays in the log: it may name tables and values.
problem problem_of(services& with, const request& asked, std::exception_ptr thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const request_error& error) {
    return error.why();
  } catch (const admin::error& error) {
    return problem_of(error);
  } catch (const bad_input& error) {
    return {400, "bad_request", error.what()};
  } catch (const pg::error& error) {
    const auto* refused = dynamic_cast<const pg::query_error*>(&error);
    // 57014: the statement ran into its time limit.
    const bool wrong = refused && error.sqlstate() != "57014" &&
                       pg::classify(error.sqlstate()) == pg::error_class::permanent;
    with.log->event(wrong ? log_level::error : log_level::warn, "the database failed a request",
                    {{"request_id", asked.id}, {"error", error.what()}});
    if (!wrong) return unavailable("the database does not answer");
  } catch (const std::exception& error) {
    with.log->error("a request failed", {{"request_id", asked.id}, {"error", error.what()}});
  }
  return {500, "internal", "this request failed; the log of the server says why"};
}

bool is_reading(http::verb method) {
  return method == http::verb::get || method == http::verb::head;
}

std::optional<problem> choose_route(services& with, request& asked, const route*& chosen) {
  auto where = parse_target(asked.head.target());
  if (!where) return problem(400, "bad_target", "the target is no path in UTF-8");
  asked.path = where->path;
  asked.query = std::move(where->query);
  auto match = find_route(with.routes, asked.head.method(), *where);
  asked.params = std::move(match.params);
  chosen = match.found;
  if (chosen) return std::nullopt;
  if (match.allow.empty() && is_reading(asked.head.method()) && find_page(with.pages, asked.path)) {
    chosen = &page_route();
    return std::nullopt;
  }
  if (match.allow.empty()) return problem(404, "not_found", "there is no such route");
  problem out(405, "method_not_allowed", "this route has other methods");
  out.headers.emplace_back("Allow", match.allow);
  return out;
}

asio::awaitable<std::optional<problem>> check_caller(services& with, const route& to,
                                                     request& asked) {
  if (to.check_caller) co_return to.check_caller(asked);
  auto why = co_await authenticate(with, to, asked);
  if (!why && to.hourly_limit > 0 && asked.who.by != identity::proof::none) {
    why = co_await count_call(with, asked.who.user, endpoint_of(to), to.hourly_limit);
  }
  if (!why && to.check) co_await to.check(with, asked);
  co_return why;
}

/// The caller of a WebSocket hears by its close code that they may not. No rule of browsers keeps a
/// page of another site from opening one, so its origin counts whatever the proof is.
void say_in_websocket(std::optional<problem>& why, request& asked) {
  const http::request<http::empty_body> head(asked.head);
  if (!boost::beast::websocket::is_upgrade(head)) return;
  if (!why && asked.who.by != identity::proof::bearer && origin_of(asked.head) == origin::other) {
    why = problem(403, "forbidden", "a page of another site");
  }
  if (!why || (why->status != 401 && why->status != 403)) return;
  asked.refused = why->message;
  why.reset();
}

}  // namespace

answer refusal_answer(const route* to, const problem& why, const request& asked) {
  if (to && to->refuse) return to->refuse(why);
  if (!to || !to->detail_errors) return error_answer(why, asked.id);
  answer out(why.status, nlohmann::ordered_json{{"detail", why.message}});
  out.headers = why.headers;
  return out;
}

asio::awaitable<admission> admit(services& with, request& asked, bool spare) {
  admission out;
  std::optional<problem> why = choose_route(with, asked, out.to);
  if (!why && spare && !out.to->always) {
    why = unavailable("all connections of this server are in use");
  }
  std::exception_ptr thrown;
  try {
    if (!why) why = co_await check_caller(with, *out.to, asked);
  } catch (const std::exception&) {
    thrown = std::current_exception();
  }
  if (thrown) why = problem_of(with, asked, thrown);
  if (out.to && out.to->websocket) say_in_websocket(why, asked);
  if (why) out.refusal = refusal_answer(out.to, *why, asked);
  co_return out;
}

asio::awaitable<answer> perform(services& with, const route& on, const request& asked) {
  std::exception_ptr thrown;
  try {
    // Those of others (health checks, documents) are asked in ways that are not ours to decide.
    if (on.path.starts_with("/api/")) check_query(on, asked);
    co_return co_await on.run(with, asked);
  } catch (const std::exception&) {
    thrown = std::current_exception();
  }
  co_return refusal_answer(&on, problem_of(with, asked, thrown), asked);
}

}  // namespace rowrunner::api
