#pragma once

#include <nlohmann/json.hpp>
#include <span>

#include "api/route.hpp"

namespace rowrunner::api {

/// The description of these routes, in OpenAPI 3.1.
nlohmann::ordered_json describe_routes(std::span<const route> routes);

}  // namespace rowrunner::api
