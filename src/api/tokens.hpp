#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "admin/transaction.hpp"

namespace rowrunner::api {

namespace asio = boost::asio;

struct token_entry {
  std::int64_t id = 0;
  std::string user;
  std::string role;
  std::string name;
  std::string created_at;
  std::optional<std::string> revoked_at;
};

struct new_token {
  std::int64_t id = 0;
  /// With its secret, of which the database has only the hash.
  std::string text;
};

/// `role` is a name of role_named.
asio::awaitable<new_token> add_token(pg::session& session, std::string user, std::string role,
                                     std::string name);

asio::awaitable<std::vector<token_entry>> list_tokens(pg::session& session);

/// False if there is no such token. One that is revoked already stays so, with its time.
asio::awaitable<bool> revoke_token(pg::session& session, std::int64_t id);

}  // namespace rowrunner::api
