#include "api/openapi.hpp"

#include <algorithm>
#include <cctype>

#include "api/routes.hpp"
#include "api/services.hpp"
#include "common/version.hpp"

namespace rowrunner::api {
namespace {

using nlohmann::ordered_json;

std::string_view who_may(access needed) {
  switch (needed) {
    case access::anyone:
      return "Anyone, without a token.";
    case access::signed_in:
      return "Every role; a user only for own jobs.";
    case access::change_own:
      return "Operators and admins; users for own jobs.";
    case access::read_all:
      return "Viewers, operators and admins.";
    case access::change_all:
      return "Operators and admins.";
    case access::administer:
      return "Admins.";
  }
  return "";
}

/// "get_api_jobs_kind_id"
std::string operation_id(const route& of) {
  std::string out;
  for (const char c : std::string(http::to_string(of.method)) + std::string(of.path)) {
    if (std::isalnum(static_cast<unsigned char>(c))) {
      out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (!out.empty() && out.back() != '_') {
      out += '_';
    }
  }
  if (out.ends_with('_')) out.pop_back();
  return out;
}

ordered_json parameter_json(std::string_view where, std::string_view name, std::string_view type,
                            std::string_view meaning) {
  ordered_json out{{"name", name}, {"in", where}, {"required", where == "path"}};
  if (!meaning.empty()) out["description"] = meaning;
  out["schema"] = {{"type", type}};
  return out;
}

ordered_json parameters_of(const route& of) {
  ordered_json out = ordered_json::array();
  std::string_view rest = of.path;
  for (auto open = rest.find('{'); open != std::string_view::npos; open = rest.find('{')) {
    const auto close = rest.find('}');
    out.push_back(parameter_json("path", rest.substr(open + 1, close - open - 1), "string", ""));
    rest.remove_prefix(close + 1);
  }
  for (const auto& each : of.query) {
    out.push_back(parameter_json("query", each.name, each.type, each.meaning));
  }
  if (of.takes_ticket) {
    out.push_back(parameter_json("query", "ticket", "string", "Instead of a token, once"));
  }
  return out;
}

ordered_json error_reference(const route& of) {
  const char* shape = of.detail_errors ? "Detail" : "Error";
  const ordered_json schema{{"$ref", std::string("#/components/schemas/") + shape}};
  return {{"description", "An error"}, {"content", {{"application/json", {{"schema", schema}}}}}};
}

ordered_json describe(const route& of) {
  ordered_json out{
      {"operationId", operation_id(of)}, {"summary", of.summary}, {"description", who_may(of.who)}};
  const auto parameters = parameters_of(of);
  if (!parameters.empty()) out["parameters"] = parameters;
  if (of.body_bytes > 0) {
    ordered_json media{{"schema", {{"type", "object"}}}};
    if (of.streams_body) media["schema"] = {{"type", "string"}, {"format", "binary"}};
    if (!of.body_example.empty()) media["example"] = ordered_json::parse(of.body_example);
    out["requestBody"] = {{"content", {{std::string(of.body_type), media}}}};
  }
  ordered_json responses;
  if (of.websocket) {
    responses["101"] = {{"description", "A WebSocket"}};
  } else {
    responses["2XX"] = {{"description", "Done"},
                        {"content", {{of.media, {{"schema", ordered_json::object()}}}}}};
  }
  responses["default"] = error_reference(of);
  out["responses"] = responses;
  if (of.who == access::anyone) out["security"] = ordered_json::array();
  return out;
}

ordered_json components() {
  const ordered_json text{{"type", "string"}}, yes_or_no{{"type", "boolean"}};
  const ordered_json error{
      {"type", "object"},
      {"properties",
       {{"code", text}, {"message", text}, {"request_id", text}, {"retryable", yes_or_no}}}};
  return {{"schemas",
           {{"Error", {{"type", "object"}, {"properties", {{"error", error}}}}},
            {"Detail", {{"type", "object"}, {"properties", {{"detail", text}}}}}}},
          {"securitySchemes",
           {{"token", {{"type", "http"}, {"scheme", "bearer"}}},
            {"cookie", {{"type", "apiKey"}, {"in", "cookie"}, {"name", "rowrunner_session"}}}}}};
}

std::string lower_name(http::verb method) {
  std::string out(http::to_string(method));
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

}  // namespace

ordered_json describe_routes(std::span<const route> routes) {
  ordered_json paths;
  for (const auto& each : routes) {
    paths[std::string(each.path)][lower_name(each.method)] = describe(each);
  }
  ordered_json token, cookie;
  token["token"] = ordered_json::array();
  cookie["cookie"] = ordered_json::array();
  ordered_json out{{"openapi", "3.1.0"},
                   {"info", {{"title", "Rowrunner"}, {"version", version}}},
                   {"paths", paths},
                   {"components", components()}};
  out["security"] = ordered_json::array({token, cookie});
  return out;
}

asio::awaitable<answer> show_openapi(services& with, const request&) {
  co_return answer(200, describe_routes(with.routes));
}

}  // namespace rowrunner::api
