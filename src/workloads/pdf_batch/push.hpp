#pragma once

#include <optional>

#include "api/route.hpp"
#include "common/environment.hpp"
#include "common/http/client.hpp"
#include "common/http/google_id_tokens.hpp"

namespace rowrunner::pdf_batch {

namespace asio = boost::asio;

/// POST /api/pdf-batch/push: a push subscription of Pub/Sub sends messages here. Google proves by
/// an ID token that it is the one.
class push_subscription {
 public:
  /// As PUBSUB_PUSH_AUDIENCE, PUBSUB_PUSH_SERVICE_ACCOUNT and PUBSUB_PUSH_JWKS_URL say. Without the
  /// first two nothing is accepted. Throws usage_error if only one is set.
  push_subscription(const asio::any_io_executor& executor, const environment& env);

  /// Before the body is read. Throws request_error.
  asio::awaitable<void> check(api::services& with, const api::request& asked);

  /// Enqueues the message. One that is no job is kept in pdf_batch_rejected, and answered 204 too:
  /// it would be sent for ever.
  static asio::awaitable<api::answer> take(api::services& with, const api::request& asked);

 private:
  http::client http_;
  std::optional<http::google_id_tokens> tokens_;
};

}  // namespace rowrunner::pdf_batch
