#include "api/routes.hpp"
#include "api/services.hpp"
#include "common/version.hpp"

namespace rowrunner::api {
namespace {

using nlohmann::ordered_json;

ordered_json state_of(const services& with, int& status) {
  auto problem = with.watch.problem(database_watch::clock::now());
  if (!problem && with.also_needed) problem = with.also_needed();
  status = problem ? 503 : 200;
  if (!problem) return {{"status", "ready"}};
  return {{"status", "not ready"}, {"reason", *problem}};
}

}  // namespace

asio::awaitable<answer> live(services&, const request&) {
  co_return answer(200, ordered_json{{"status", "live"}});
}

asio::awaitable<answer> ready(services& with, const request&) {
  int status = 0;
  const auto state = state_of(with, status);
  co_return answer(status, state);
}

asio::awaitable<answer> health(services& with, const request&) {
  int status = 0;
  auto state = state_of(with, status);
  state["version"] = version;
  co_return answer(status, state);
}

}  // namespace rowrunner::api
