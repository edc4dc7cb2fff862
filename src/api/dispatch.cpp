#include "api/dispatch.hpp"

#include <exception>

#include "api/authenticate.hpp"
#include "api/hourly_limit.hpp"
#include "api/services.hpp"
#include "common/pg/error.hpp"

namespace rowrunner::api {
namespace {

problem unavailable(std::string why) {
  problem out(503, "unavailable", std::move(why), true);
  out.headers.emplace_back("Retry-After", "2");
  return out;
}

/// The error of the database stays in the log: it may name tables and values.
problem problem_of(services& with, const request& asked, std::exception_ptr thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const pg::error& error) {
    const auto* refused = dynamic_cast<const pg::query_error*>(&error);
    const bool wrong = refused && pg::classify(error.sqlstate()) == pg::error_class::permanent;
    with.log->event(wrong ? log_level::error : log_level::warn, "the database failed a request",
                    {{"request_id", asked.id}, {"error", error.what()}});
    if (!wrong) return unavailable("the database does not answer");
  } catch (const std::exception& error) {
    with.log->error("a request failed", {{"request_id", asked.id}, {"error", error.what()}});
  }
  return {500, "internal", "this request failed; the log of the server says why"};
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
  if (match.allow.empty()) return problem(404, "not_found", "there is no such route");
  problem out(405, "method_not_allowed", "this route has other methods");
  out.headers.emplace_back("Allow", match.allow);
  return out;
}

asio::awaitable<std::optional<problem>> check_caller(services& with, const route& to,
                                                     request& asked) {
  auto why = co_await authenticate(with, to, asked);
  if (!why && to.hourly_limit > 0 && asked.who.by != identity::proof::none) {
    why = co_await count_call(with, asked.who.user, endpoint_of(to), to.hourly_limit);
  }
  co_return why;
}

}  // namespace

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
  if (why) out.refusal = error_answer(*why, asked.id);
  co_return out;
}

asio::awaitable<answer> perform(services& with, const route& on, const request& asked) {
  std::exception_ptr thrown;
  try {
    co_return co_await on.run(with, asked);
  } catch (const std::exception&) {
    thrown = std::current_exception();
  }
  co_return error_answer(problem_of(with, asked, thrown), asked.id);
}

}  // namespace rowrunner::api
