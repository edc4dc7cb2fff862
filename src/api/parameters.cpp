#include "api/parameters.hpp"

#include <algorithm>
#include <charconv>

#include "common/text.hpp"

namespace rowrunner::api {

void check_query(const route& to, const request& asked) {
  for (const auto& given : asked.query) {
    const auto& name = given.first;
    const bool known = std::any_of(to.query.begin(), to.query.end(),
                                   [&](const query_parameter& each) { return each.name == name; });
    if (known || (to.takes_ticket && name == "ticket")) continue;
    throw request_error(
        problem(400, "unknown_parameter",
                "this route has no parameter '" + visible(printable(name, 60)) + "'"));
  }
}

std::optional<std::string> parameter(const request& asked, std::string_view name) {
  const auto found = asked.query.find(name);
  if (found == asked.query.end() || found->second.empty()) return std::nullopt;
  return found->second;
}

int number_parameter(const request& asked, std::string_view name, int otherwise, int least,
                     int most) {
  const auto text = parameter(asked, name);
  if (!text) return otherwise;
  int value = 0;
  const char* end = text->data() + text->size();
  const auto [stopped, error] = std::from_chars(text->data(), end, value);
  if (error != std::errc() || stopped != end || value < least || value > most) {
    throw request_error(problem(400, "bad_parameter",
                                std::string(name) + " must be a whole number from " +
                                    std::to_string(least) + " to " + std::to_string(most)));
  }
  return value;
}

std::string id_parameter(const request& asked) {
  const auto& id = asked.params.find("id")->second;
  if (!is_uuid(id)) throw request_error(problem(404, "not_found", "no job has this id"));
  return id;
}

}  // namespace rowrunner::api
