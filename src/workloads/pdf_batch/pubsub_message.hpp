#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace rowrunner::pdf_batch {

/// A message of Pub/Sub, decoded.
struct pubsub_message {
  std::string id;
  /// What was published; "" if there is none or it is not base64.
  std::string data;
  /// Why it has no data; "" if it has.
  std::string wrong;
};

/// A PubsubMessage, as Google's documentation describes it.
pubsub_message read_pubsub_message(const nlohmann::json& object);

/// The body of a push request: {"message": {"data", "messageId", …}, "subscription"}. Never throws;
/// `data` is the body itself if it is something else.
pubsub_message read_push_body(std::string_view body);

}  // namespace rowrunner::pdf_batch
