#pragma once

#include <boost/asio/awaitable.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "api/message.hpp"

namespace rowrunner::api {

struct services;
struct route;

/// "POST /api/tickets": what calls are counted under.
std::string endpoint_of(const route& of);

/// Counts a call of this user. Gives 429 with Retry-After if the hour's calls are used up. Throws
/// pg::error if it could not be counted: then the call must not be served.
boost::asio::awaitable<std::optional<problem>> count_call(services& with, std::string user,
                                                          std::string endpoint, int limit);

}  // namespace rowrunner::api
