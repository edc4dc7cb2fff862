#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "common/pg/error.hpp"

namespace rowrunner::pg {

/// Where a connection URL points to, without its secrets, so that it may be logged.
struct endpoint {
  std::string host;
  std::string port;
  std::string database;
  /// In seconds, as the URL says it; empty if it does not.
  std::string connect_timeout;
  /// The URL names addresses (hostaddr) beside its hosts.
  bool has_addresses = false;
  /// Hosts were left out, so `host` and `port` say more than the URL.
  bool reduced = false;

  std::string text() const;
  /// The other hosts of the list; nothing if there are none, or if it cannot be told which they
  /// are.
  std::optional<endpoint> without(const std::string& one_host, const std::string& one_port) const;
};

/// Throws connect_failed, without quoting the URL, if libpq cannot read it.
endpoint parse_endpoint(const std::string& url);

/// What to tell a person about libpq's reason for not connecting, and what to try.
connect_failed explain_failure(const endpoint& target, std::string_view reason);

}  // namespace rowrunner::pg
