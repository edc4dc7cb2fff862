#include "api/routes.hpp"

namespace rowrunner::api {
namespace {

constexpr std::size_t kilobyte = 1024;

}  // namespace

std::vector<route> all_routes() {
  using enum http::verb;
  using enum access;
  return {
      {.method = get,
       .path = "/livez",
       .who = anyone,
       .run = live,
       .summary = "The server runs; the database is not asked",
       .always = true},
      {.method = get,
       .path = "/readyz",
       .who = anyone,
       .run = ready,
       .summary = "The database has answered within 10 seconds, and its schema fits",
       .always = true},
      {.method = get,
       .path = "/healthz",
       .who = anyone,
       .run = health,
       .summary = "As /readyz, with the version of the server",
       .always = true},
      {.method = post,
       .path = "/api/session",
       .who = anyone,
       .run = sign_in,
       .summary = "Sign in with a token: sets a cookie",
       .body_bytes = 4 * kilobyte},
      {.method = get,
       .path = "/api/session",
       .who = signed_in,
       .run = who_am_i,
       .summary = "The user and the role of the caller"},
      {.method = delete_,
       .path = "/api/session",
       .who = signed_in,
       .run = sign_out,
       .summary = "Sign out: ends the session of the cookie"},
      {.method = post,
       .path = "/api/tickets",
       .who = signed_in,
       .run = make_ticket,
       .summary = "A ticket that opens one WebSocket within 30 seconds",
       .hourly_limit = 600},
  };
}

}  // namespace rowrunner::api
