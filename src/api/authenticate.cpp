#include "api/authenticate.hpp"

#include "api/ask.hpp"
#include "api/route.hpp"
#include "common/pg/error.hpp"
#include "queries/api.hpp"

namespace rowrunner::api {
namespace {

problem forbidden(std::string why) { return {403, "forbidden", std::move(why)}; }

identity::proof proof_by(credential::kind type) {
  switch (type) {
    case credential::kind::bearer:
      return identity::proof::bearer;
    case credential::kind::cookie:
      return identity::proof::cookie;
    case credential::kind::ticket:
      return identity::proof::ticket;
    default:
      return identity::proof::none;
  }
}

/// The name that the functions of the database have for it.
const char* word_for(credential::kind type) {
  if (type == credential::kind::cookie) return "web_session";
  if (type == credential::kind::ticket) return "ticket";
  return "token";
}

std::optional<identity> read_identity(const pg::result& row, const credential& given) {
  if (row.rows() != 1) return std::nullopt;
  const auto as = role_named(row.get(0, 1));
  if (!as) return std::nullopt;
  identity out;
  out.by = proof_by(given.type);
  out.user = row.get(0, 0);
  out.as = *as;
  out.token = row.get_int(0, 2);
  out.session = row.get_int(0, 3);
  return out;
}

/// A server that only this machine reaches needs no token while there is none.
asio::awaitable<bool> is_open(services& with, const request& asked) {
  if (!with.loopback || !asks_this_machine(asked.head)) co_return false;
  if (!is_safe(asked.head.method()) && origin_of(asked.head) == origin::other) co_return false;
  const auto statement = queries::tokens_exist.statement();
  const auto found = co_await ask_about_caller(with, pg::with(statement));
  co_return !found.get_bool(0, 0);
}

asio::awaitable<std::optional<problem>> without_credential(services& with, request& asked) {
  const bool open = co_await is_open(with, asked);
  std::optional<problem> out;
  if (open) {
    asked.who.by = identity::proof::local;
    asked.who.user = "local";
    asked.who.as = role::admin;
  } else {
    out = unauthorized("this needs a token: send Authorization: Bearer and the token");
  }
  co_return out;
}

/// A ticket is used up, so it proves nothing later.
std::string proof_text(const credential& given, const request& asked) {
  if (given.type == credential::kind::none) {
    return asks_this_machine(asked.head) ? "local" : "";
  }
  if (given.type != credential::kind::bearer && given.type != credential::kind::cookie) return "";
  return (given.type == credential::kind::bearer ? "bearer " : "cookie ") +
         std::to_string(given.key.id) + " " + hash_of(given.key.secret);
}

void remember(services& with, const credential& given, const request& asked) {
  const auto proof = proof_text(given, asked);
  if (!proof.empty()) with.callers.remember(proof, asked.who, recent_callers::clock::now());
}

/// While the database is away, for routes that do without it.
bool recall(services& with, const route& wanted, const credential& given, request& asked) {
  if (!wanted.without_database || !is_safe(asked.head.method())) return false;
  const auto known = with.callers.find(proof_text(given, asked), recent_callers::clock::now());
  if (known) asked.who = *known;
  return known.has_value();
}

asio::awaitable<std::optional<problem>> prove(services& with, credential given, request& asked) {
  if (given.type == credential::kind::none) {
    co_return co_await without_credential(with, asked);
  }
  std::optional<identity> known;
  if (given.type != credential::kind::malformed) known = co_await identity_of(with, given);
  if (!known) co_return unauthorized("the token is unknown, revoked or expired");
  asked.who = std::move(*known);
  co_return std::nullopt;
}

}  // namespace

problem unauthorized(std::string why) {
  problem out(401, "unauthorized", std::move(why));
  out.headers.emplace_back("WWW-Authenticate", "Bearer");
  return out;
}

pg::call with_proof(const pg::statement& statement, const credential& given) {
  return pg::with(statement, word_for(given.type), std::to_string(given.key.id),
                  proof_of(given.key.secret));
}

asio::awaitable<std::optional<identity>> identity_of(services& with, credential given) {
  const auto statement = queries::caller_of.statement();
  auto call = with_proof(statement, given);
  const auto row = co_await ask_about_caller(with, std::move(call));
  co_return read_identity(row, given);
}

asio::awaitable<std::optional<problem>> authenticate(services& with, const route& wanted,
                                                     request& asked) {
  if (wanted.who == access::anyone) co_return std::nullopt;
  const auto given = credential_of(asked, wanted.takes_ticket);
  std::exception_ptr away;
  std::optional<problem> why;
  try {
    why = co_await prove(with, given, asked);
  } catch (const pg::error&) {
    away = std::current_exception();
  }
  if (away && !recall(with, wanted, given, asked)) std::rethrow_exception(away);
  if (why) co_return why;
  if (!away) remember(with, given, asked);
  if (given.type == credential::kind::cookie && !is_safe(asked.head.method()) &&
      origin_of(asked.head) != origin::same) {
    co_return forbidden("a change that a cookie allows must come from a page of this server");
  }
  if (!allows(wanted.who, asked.who.as)) {
    co_return forbidden("the role " + std::string(name_of(asked.who.as)) + " may not do this");
  }
  co_return std::nullopt;
}

}  // namespace rowrunner::api
