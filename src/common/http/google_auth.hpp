#pragma once

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include "common/http/client.hpp"
#include "common/http/google_credentials.hpp"

namespace rowrunner::http {

/// Google gave no token. The message is one line without secrets.
struct auth_error : std::runtime_error {
  auth_error(const std::string& what, bool may_pass,
             std::optional<std::chrono::milliseconds> wait = std::nullopt)
      : std::runtime_error(what), temporary(may_pass), retry_after(wait) {}

  bool temporary;
  std::optional<std::chrono::milliseconds> retry_after;
};

/// Access tokens for Google's APIs, for one scope. A token is kept until a minute before it
/// expires; callers that need one meanwhile share the one request for it, and its failure.
class google_auth {
 public:
  using clock = std::chrono::system_clock;
  using now_function = std::function<clock::time_point()>;

  /// The client must live longer. `now` is for tests.
  google_auth(client& http, google_credentials credentials, std::string scope,
              now_function now = clock::now);
  ~google_auth();
  google_auth(const google_auth&) = delete;
  google_auth& operator=(const google_auth&) = delete;

  /// The value of an Authorization header; empty if there are no credentials. Throws auth_error or
  /// error. May be cancelled, which leaves the others unharmed.
  asio::awaitable<std::string> authorization();

  /// An API answered 401 to this value: the next authorization() asks for a new token.
  void refused(const std::string& authorization);

 private:
  struct core;

  std::shared_ptr<core> core_;
};

}  // namespace rowrunner::http
