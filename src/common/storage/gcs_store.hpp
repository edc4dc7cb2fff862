#pragma once

#include <functional>
#include <random>

#include "common/http/client.hpp"
#include "common/http/google_auth.hpp"
#include "common/storage/store.hpp"

namespace rowrunner::storage {

struct gcs_options {
  explicit gcs_options(std::string name) : bucket(std::move(name)) {}

  std::string bucket;
  /// Without a slash at the end.
  std::string base_url = "https://storage.googleapis.com";
  /// For each try; for each piece of what is sent or read in pieces.
  std::chrono::milliseconds timeout{60'000};
  /// For each try of what is sent or read in pieces.
  std::chrono::milliseconds transfer_timeout{std::chrono::hours(1)};
  int tries = 3;
  /// The ceiling of the first pause between tries; it doubles each time.
  std::chrono::milliseconds first_pause{1'000};
  /// A server that asks for a longer pause gets it from the code that catches the error.
  std::chrono::milliseconds longest_pause{30'000};
  /// Waits that long; for tests.
  std::function<asio::awaitable<void>(std::chrono::milliseconds)> pause{};
  http::google_auth::now_function now = http::google_auth::clock::now;
};

/// Files in a bucket of Google Cloud Storage, through its JSON API. A put is checked against the
/// size and the MD5 sum that the server reports.
class gcs_store : public store {
 public:
  /// The client must live longer.
  gcs_store(http::client& http, http::google_credentials credentials, gcs_options options);

  asio::awaitable<void> put(std::string key, std::string bytes, std::string content_type) override;
  asio::awaitable<std::optional<std::string>> get(std::string key, std::size_t max_bytes) override;
  asio::awaitable<void> put_from(std::string key, std::shared_ptr<byte_source> from,
                                 std::string content_type) override;
  asio::awaitable<bool> get_to(std::string key, std::shared_ptr<byte_sink> to,
                               std::uint64_t max_bytes) override;
  asio::awaitable<bool> exists(std::string key) override;
  asio::awaitable<void> remove(std::string key) override;

  /// {base}/{bucket}/{key}, the address of a public object.
  std::string url(std::string_view key) const override;
  std::optional<std::string> key_of(std::string_view url) const override;

 private:
  /// Looks at an answer with a good status; throws error if the try has failed all the same.
  using verification = std::function<void(const http::response&)>;

  std::string object_url(std::string_view key) const;
  http::request upload(const std::string& key, std::string content_type) const;
  void check_stored(const http::response& answer, std::uint64_t size, const std::string& sum) const;
  asio::awaitable<http::response> call(http::request wanted, verification verify = {});
  asio::awaitable<http::response> try_once(http::request wanted);
  asio::awaitable<http::response> send_authorised(http::request wanted, std::string& authorization);
  std::optional<std::chrono::milliseconds> pause_after(int tried, const error& why);

  const gcs_options options_;
  http::client& http_;
  http::google_auth auth_;
  std::mt19937_64 random_{std::random_device{}()};
};

}  // namespace rowrunner::storage
