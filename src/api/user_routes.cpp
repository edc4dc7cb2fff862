#include "api/ask.hpp"
#include "api/routes.hpp"
#include "common/text.hpp"
#include "queries/api.hpp"

namespace rowrunner::api {

asio::awaitable<answer> remove_user(services& with, const request& asked) {
  const std::string& user = asked.params.find("user_id")->second;
  check_text("user_id", user);
  const auto statement = queries::user_remove.statement();
  const auto row = co_await ask_database(with, pg::with(statement, user));
  const auto result = row.get(0, 0);
  if (result == "unknown") throw request_error(problem(404, "not_found", "User not found"));
  if (result == "last") {
    throw request_error(problem(409, "conflict", "The last admin cannot be deleted"));
  }
  co_return answer(200, nlohmann::ordered_json{{"message", "User deleted successfully"}});
}

}  // namespace rowrunner::api
