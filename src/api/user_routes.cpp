#include "api/ask.hpp"
#include "api/authenticate.hpp"
#include "api/routes.hpp"
#include "common/text.hpp"
#include "queries/api.hpp"

namespace rowrunner::api {

asio::awaitable<answer> remove_user(services& with, const request& asked) {
  const std::string& user = asked.params.find("user_id")->second;
  check_text("user_id", user);
  // Without any token there is no user.
  const problem unknown(404, "not_found", "User not found");
  if (asked.who.token == 0) throw request_error(unknown);
  const auto statement = queries::user_remove.statement();
  auto call = with_proof(statement, credential_of(asked, false));
  call.params.emplace_back(user);
  const auto row = co_await ask_about_caller(with, std::move(call));
  const auto result = row.get(0, 0);
  if (result == "denied") throw request_error(unauthorized("the token was revoked or has expired"));
  if (result == "unknown") throw request_error(unknown);
  if (result == "last") {
    throw request_error(problem(409, "conflict", "The last admin cannot be deleted"));
  }
  co_return answer(200, nlohmann::ordered_json{{"message", "User deleted successfully"}});
}

}  // namespace rowrunner::api
