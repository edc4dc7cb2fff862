#pragma once

#include <boost/asio/awaitable.hpp>
#include <optional>
#include <string>

#include "api/credential.hpp"
#include "api/message.hpp"
#include "api/secret.hpp"
#include "common/pg/statement.hpp"

namespace rowrunner::api {

struct services;
struct route;

/// 401, for a caller who has proven nothing.
problem unauthorized(std::string why);

/// Finds out who asks and whether the route is for them; sets request::who. Gives the problem
/// otherwise: 401 without a valid proof, 403 with one that is not enough. Throws pg::error.
boost::asio::awaitable<std::optional<problem>> authenticate(services& with, const route& wanted,
                                                            request& asked);

/// A call whose first parameters are what was shown, its number, and the proof that its secret is
/// known: without these the database changes nothing about callers. `given` is a token, a cookie or
/// a ticket.
pg::call with_proof(const pg::statement& statement, const credential& given);

/// The identity that a credential proves, if it does. Uses up a ticket.
boost::asio::awaitable<std::optional<identity>> identity_of(services& with, credential given);

}  // namespace rowrunner::api
