#pragma once

#include <boost/asio/awaitable.hpp>
#include <optional>
#include <string>

#include "api/credential.hpp"
#include "api/message.hpp"
#include "api/secret.hpp"

namespace rowrunner::api {

struct services;
struct route;

/// Finds out who asks and whether the route is for them; sets request::who. Gives the problem
/// otherwise: 401 without a valid proof, 403 with one that is not enough. Throws pg::error.
boost::asio::awaitable<std::optional<problem>> authenticate(services& with, const route& wanted,
                                                            request& asked);

/// The identity that a credential proves, if it does. Uses up a ticket.
boost::asio::awaitable<std::optional<identity>> identity_of(services& with, credential given);

}  // namespace rowrunner::api
