#include "api/route.hpp"

namespace rowrunner::api {
namespace {

void add_method(std::string& allow, http::verb method) {
  if (!allow.empty()) allow += ", ";
  allow += http::to_string(method);
  if (method == http::verb::get) add_method(allow, http::verb::head);
}

}  // namespace

matched_route find_route(std::span<const route> routes, http::verb method, const target& where) {
  const auto wanted = method == http::verb::head ? http::verb::get : method;
  matched_route out;
  for (const auto& each : routes) {
    auto params = match_path(each.path, where.segments);
    if (!params) continue;
    if (each.method == wanted) return {&each, std::move(*params), {}};
    add_method(out.allow, each.method);
  }
  return out;
}

}  // namespace rowrunner::api
