#pragma once

#include <optional>
#include <string>

#include "common/environment.hpp"

namespace rowrunner::mirror {

/// Where the statuses go.
struct redis_address {
  std::string host;
  int port = 6379;
  int database = 0;
  /// Empty: the default user.
  std::string user;
  /// Empty: none is sent.
  std::string password;

  /// For logs: without user and password.
  std::string shown() const;
};

/// redis://[[user]:password@]host[:port][/database]. Throws usage_error, which does not repeat the
/// text, as a password may stand in it.
redis_address parse_redis_url(const std::string& text);

/// REDIS_URL, or else REDIS_HOST with REDIS_PORT and REDIS_DB; nothing if neither is set. Throws
/// usage_error.
std::optional<redis_address> configured_redis(const environment& env);

}  // namespace rowrunner::mirror
