#include "workloads/pdf_batch/subscription.hpp"

#include "common/errors.hpp"
#include "common/foreign_json.hpp"
#include "common/http/error.hpp"
#include "common/http/url.hpp"
#include "common/text.hpp"

namespace rowrunner::pdf_batch {
namespace {

using nlohmann::json;

constexpr const char* scope = "https://www.googleapis.com/auth/pubsub";
/// Ten messages of 10 MB would be more, but Pub/Sub sends less at a time than it is asked for.
constexpr json_limits allowed{64 * 1024 * 1024, 8, 20'000};
/// A pull waits for about a minute and a half at the other side.
constexpr std::chrono::seconds patience{120};

bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= 255 &&
         text.find_first_not_of(
             "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
             "-_.~+%:") == std::string_view::npos;
}

/// "projects/{project}/subscriptions/{subscription}"
bool is_path(const std::string& text) {
  constexpr std::string_view first = "projects/", second = "/subscriptions/";
  const auto middle = text.find(second);
  return text.starts_with(first) && middle != std::string::npos && middle > first.size() &&
         is_name(text.substr(first.size(), middle - first.size())) &&
         is_name(text.substr(middle + second.size()));
}

std::string path_from(const environment& env) {
  const auto given = env.get("PUBSUB_SUBSCRIPTION").value_or("pdf-processing-subscription");
  if (given.find('/') != std::string::npos) {
    if (is_path(given)) return given;
    throw usage_error("PUBSUB_SUBSCRIPTION: '" + visible(printable(given, 300)) +
                      "' is neither a name nor projects/PROJECT/subscriptions/NAME");
  }
  const auto project = env.get("GCP_PROJECT_ID");
  if (!project) {
    throw usage_error("GCP_PROJECT_ID: is needed unless PUBSUB_SUBSCRIPTION is a full path");
  }
  const auto path = "projects/" + *project + "/subscriptions/" + given;
  if (is_path(path)) return path;
  throw usage_error("PUBSUB_SUBSCRIPTION or GCP_PROJECT_ID: '" + visible(printable(path, 300)) +
                    "' is no path of a subscription");
}

std::string emulator_url(std::string host) {
  // Other tools take it with and without a scheme.
  if (host.find("://") == std::string::npos) host = "http://" + host;
  while (host.ends_with('/')) host.pop_back();
  try {
    http::parse_url(host);
  } catch (const http::error& why) {
    throw usage_error(std::string("PUBSUB_EMULATOR_HOST: ") + why.what());
  }
  return host;
}

std::string explanation(const http::response& answer) {
  const auto body = foreign_json_or_null(answer.body);
  const auto error = body.is_object() && body.contains("error") ? body["error"] : json();
  const auto text = text_member(error, "message");
  return "Pub/Sub answered " + std::to_string(answer.status) +
         (text.empty() ? "" : ": " + visible(printable(text, 300)));
}

}  // namespace

subscription_options subscription_from(const environment& env) {
  subscription_options out;
  out.path = path_from(env);
  const auto emulator = env.get("PUBSUB_EMULATOR_HOST");
  out.base_url = emulator ? emulator_url(*emulator) : "https://pubsub.googleapis.com";
  if (!emulator) out.credentials = http::google_credentials_from(env);
  return out;
}

subscription::subscription(http::client& http, subscription_options options)
    : options_(std::move(options)), http_(http), auth_(http, options_.credentials, scope) {}

asio::awaitable<std::string> subscription::call(std::string method, json body) {
  http::request wanted(options_.base_url + "/v1/" + options_.path + ":" + method, "POST");
  wanted.headers.set("Content-Type", "application/json");
  wanted.body = body.dump();
  wanted.timeout = patience;
  wanted.max_body = allowed.bytes;
  std::string failure, authorization;
  http::response answer;
  try {
    authorization = co_await auth_.authorization();
    if (!authorization.empty()) wanted.headers.set("Authorization", authorization);
    answer = co_await http_.send(std::move(wanted));
  } catch (const http::error& error) {
    failure = error.what();
  } catch (const http::auth_error& error) {
    failure = error.what();
  }
  if (!failure.empty()) throw pubsub_error(failure);
  if (answer.status == 401) auth_.refused(authorization);
  if (!answer.ok()) throw pubsub_error(explanation(answer));
  co_return std::move(answer.body);
}

asio::awaitable<std::vector<received_message>> subscription::pull(int at_most) {
  json body;
  body["maxMessages"] = at_most;
  const auto text = co_await call("pull", std::move(body));
  std::vector<received_message> out;
  json answer;
  try {
    answer = text.empty() ? json::object() : parse_foreign_json(text, allowed);
  } catch (const foreign_json_error& error) {
    throw pubsub_error(std::string("the answer of Pub/Sub ") + error.what());
  }
  const auto list = answer.is_object() ? answer.find("receivedMessages") : answer.end();
  if (!answer.is_object() || list == answer.end() || !list->is_array()) co_return out;
  for (const auto& each : *list) {
    received_message one;
    one.ack_id = text_member(each, "ackId");
    if (one.ack_id.empty()) continue;
    one.message = read_pubsub_message(each.contains("message") ? each["message"] : json());
    out.push_back(std::move(one));
  }
  co_return out;
}

asio::awaitable<void> subscription::acknowledge(std::vector<std::string> ack_ids) {
  json body;
  body["ackIds"] = std::move(ack_ids);
  co_await call("acknowledge", std::move(body));
}

asio::awaitable<void> subscription::set_deadline(std::vector<std::string> ack_ids,
                                                 std::chrono::seconds from_now) {
  json body;
  body["ackIds"] = std::move(ack_ids);
  body["ackDeadlineSeconds"] = from_now.count();
  co_await call("modifyAckDeadline", std::move(body));
}

}  // namespace rowrunner::pdf_batch
