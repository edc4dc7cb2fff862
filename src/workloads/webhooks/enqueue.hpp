#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <pqxx/pqxx>
#include <rowrunner/outcome.hpp>
#include <string>

#include "workloads/webhooks/verdict.hpp"

/// An event for a receiver, as a job of the kind webhook_delivery. In SQL, and so in any language,
/// public.enqueue_webhook does the same.
namespace rowrunner::webhooks {

inline constexpr const char* kind = "webhook_delivery";

struct new_delivery {
  std::string url;
  /// An object; it is sent in this order.
  nlohmann::ordered_json payload;
  /// What happened, for lists.
  std::string event{};
  /// Sent as a bearer, and as this member of the body.
  std::optional<std::string> token{};
  std::optional<std::string> token_member{};
  success by = success::by_status;
  /// What it is about.
  std::optional<std::string> source{};
  /// A second delivery under the same key is the first one.
  std::optional<std::string> event_key{};
  /// A uuid (new_job_id); left out, a new one. The receiver knows the event by it.
  std::optional<std::string> id{};
};

/// The delivery comes to exist with the step or the end that has this effect. Throws bad_input for
/// what cannot be sent.
effect enqueue_effect(const new_delivery& wanted);

/// In your transaction; gives the id of the delivery. Throws bad_input and pqxx::sql_error.
std::string enqueue(pqxx::dbtransaction& tx, const new_delivery& wanted);

/// The header webhook-id of a delivery.
std::string event_id(const std::string& delivery);

/// Throws bad_input that begins with `what` unless an address can be asked as far as can be seen
/// without a look-up.
void check_address(const std::string& url, const std::string& what);

}  // namespace rowrunner::webhooks
