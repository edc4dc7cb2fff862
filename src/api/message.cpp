#include "api/message.hpp"

#include <algorithm>
#include <boost/beast/core/string.hpp>

#include "common/errors.hpp"
#include "common/foreign_json.hpp"
#include "common/text.hpp"

namespace rowrunner::api {
namespace {

constexpr auto lossy = nlohmann::json::error_handler_t::replace;
constexpr json_limits allowed_json{1024 * 1024, 16, 10'000};

bool is_json(std::string_view content_type) {
  auto type = content_type.substr(0, content_type.find(';'));
  while (type.ends_with(' ')) type.remove_suffix(1);
  return boost::beast::iequals(type, "application/json");
}

}  // namespace

answer::answer(int with_status, const nlohmann::ordered_json& value)
    : status(with_status),
      content_type("application/json"),
      body(value.dump(-1, ' ', false, lossy) + "\n") {}

answer error_answer(const problem& why, const std::string& request_id) {
  const nlohmann::ordered_json error{{"code", why.code},
                                     {"message", why.message},
                                     {"request_id", request_id},
                                     {"retryable", why.retryable}};
  answer out(why.status, nlohmann::ordered_json{{"error", error}});
  out.headers = why.headers;
  return out;
}

std::optional<problem> read_object(const request& asked, std::initializer_list<const char*> members,
                                   nlohmann::json& out) {
  if (!is_json(asked.head[http::field::content_type])) {
    return problem(415, "unsupported_media_type", "the body must be application/json");
  }
  try {
    out = parse_foreign_json(asked.body, allowed_json);
  } catch (const foreign_json_error& error) {
    return problem(400, "bad_json", std::string("the body ") + error.what());
  }
  if (!out.is_object()) return problem(400, "bad_json", "the body must be a JSON object");
  for (const auto& each : out.items()) {
    const auto& name = each.key();
    if (std::none_of(members.begin(), members.end(), [&](auto known) { return name == known; })) {
      return problem(400, "unknown_member",
                     "the body has an unknown member '" + visible(printable(name, 60)) + "'");
    }
  }
  return std::nullopt;
}

std::optional<problem> read_text(const nlohmann::json& object, const char* name, std::string& out) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_string()) {
    return problem(400, "bad_member", std::string("the member '") + name + "' must be a string");
  }
  out = found->get<std::string>();
  try {
    check_text(name, out);
  } catch (const bad_input& error) {
    return problem(400, "bad_member", error.what());
  }
  return std::nullopt;
}

}  // namespace rowrunner::api
