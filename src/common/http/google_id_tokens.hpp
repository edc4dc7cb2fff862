#pragma once

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "common/http/client.hpp"
#include "common/http/id_token.hpp"

namespace rowrunner::http {

/// Checks the ID tokens by which Google's services prove who they are. Its public keys are kept for
/// as long as their server says, and fetched again for a key that is not among them.
class google_id_tokens {
 public:
  using clock = std::chrono::system_clock;
  using now_function = std::function<clock::time_point()>;

  /// The client must live longer. `now` is for tests.
  google_id_tokens(client& http, std::string keys_url, id_token_rules rules,
                   now_function now = clock::now);

  /// What is wrong with a token; empty if nothing is. Throws http::error if the keys cannot be had,
  /// which says nothing about the token.
  asio::awaitable<std::string> refusal(std::string token);

 private:
  asio::awaitable<void> fetch_keys();
  bool needs_keys(const std::string& key_id) const;

  client& http_;
  const std::string keys_url_;
  const id_token_rules rules_;
  const now_function now_;
  json_web_keys keys_;
  clock::time_point asked_{};
  clock::time_point fresh_until_{};
};

/// How long an answer may be kept: max-age of Cache-Control, from a minute to a day; five minutes
/// if there is none.
std::chrono::seconds time_to_keep(const response& answer);

}  // namespace rowrunner::http
