#include "api/hourly_limit.hpp"

#include "api/ask.hpp"
#include "api/route.hpp"
#include "queries/api.hpp"

namespace rowrunner::api {

std::string endpoint_of(const route& of) {
  return std::string(http::to_string(of.method)) + " " + std::string(of.path);
}

asio::awaitable<std::optional<problem>> count_call(services& with, std::string user,
                                                   std::string endpoint, int limit) {
  const auto statement = queries::hourly_take.statement();
  auto call = pg::with(statement, std::move(user), std::move(endpoint), std::to_string(limit));
  const auto row = co_await ask_about_caller(with, std::move(call));
  if (row.get_bool(0, 0)) co_return std::nullopt;
  problem out(429, "rate_limited",
              "only " + std::to_string(limit) + " such calls are allowed in a clock hour", true);
  out.headers.emplace_back("Retry-After", std::string(row.get(0, 1)));
  co_return out;
}

}  // namespace rowrunner::api
