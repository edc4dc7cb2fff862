#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "common/environment.hpp"
#include "common/http/client.hpp"
#include "common/http/google_auth.hpp"
#include "workloads/pdf_batch/pubsub_message.hpp"

namespace rowrunner::pdf_batch {

namespace asio = boost::asio;

struct subscription_options {
  /// "https://pubsub.googleapis.com", without a slash at the end.
  std::string base_url;
  /// "projects/{project}/subscriptions/{subscription}"
  std::string path;
  http::google_credentials credentials = http::no_credentials{};
};

/// As PUBSUB_SUBSCRIPTION (a name, or a full path), GCP_PROJECT_ID and PUBSUB_EMULATOR_HOST say; an
/// emulator is asked without credentials. Throws usage_error.
subscription_options subscription_from(const environment& env);

/// Pub/Sub did not do what it was asked to. The message is one line without secrets.
struct pubsub_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct received_message {
  std::string ack_id;
  pubsub_message message;
};

/// A pull subscription of Pub/Sub, by its REST API (v1). All functions throw pubsub_error, and may
/// be cancelled.
class subscription {
 public:
  /// How long Pub/Sub waits before it delivers a message once more: the longest that it allows.
  static constexpr std::chrono::seconds deadline{600};

  /// The client must live longer.
  subscription(http::client& http, subscription_options options);

  /// Waits for messages for as long as Pub/Sub does; there may be none.
  asio::awaitable<std::vector<received_message>> pull(int at_most);
  asio::awaitable<void> acknowledge(std::vector<std::string> ack_ids);
  /// From now on. Zero: to be delivered again at once.
  asio::awaitable<void> set_deadline(std::vector<std::string> ack_ids,
                                     std::chrono::seconds from_now);

  const std::string& path() const noexcept { return options_.path; }

 private:
  asio::awaitable<std::string> call(std::string method, nlohmann::json body);

  const subscription_options options_;
  http::client& http_;
  http::google_auth auth_;
};

}  // namespace rowrunner::pdf_batch
