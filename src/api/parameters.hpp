#pragma once

#include <optional>
#include <string>

#include "api/message.hpp"
#include "api/route.hpp"

namespace rowrunner::api {

/// Throws request_error (400) for a parameter in the query that the route does not know: a misspelt
/// filter would otherwise be ignored.
void check_query(const route& to, const request& asked);

/// A parameter of the query; nothing if it is missing or empty.
std::optional<std::string> parameter(const request& asked, std::string_view name);

/// A whole number from the query. Throws request_error if it is none, or out of its limits.
int number_parameter(const request& asked, std::string_view name, int otherwise, int least,
                     int most);

/// The {id} of the path. Throws request_error (404) if it is no uuid, as no job can have it.
std::string id_parameter(const request& asked);

}  // namespace rowrunner::api
