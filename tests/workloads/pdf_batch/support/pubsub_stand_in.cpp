#include "workloads/pdf_batch/support/pubsub_stand_in.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "common/http/base64.hpp"

namespace rowrunner::testing {
namespace {

using nlohmann::json;

bool has_only(const json& body, std::initializer_list<const char*> names) {
  if (!body.is_object()) return false;
  return std::all_of(body.items().begin(), body.items().end(), [&](const auto& item) {
    return std::any_of(names.begin(), names.end(), [&](auto name) { return item.key() == name; });
  });
}

bool are_ack_ids(const json& body) {
  return body.contains("ackIds") && body["ackIds"].is_array() && !body["ackIds"].empty() &&
         std::all_of(body["ackIds"].begin(), body["ackIds"].end(),
                     [](const json& id) { return id.is_string(); });
}

}  // namespace

pubsub_stand_in::pubsub_stand_in() {
  const std::string base = std::string("POST /v1/") + path;
  server_.on(base + ":pull", [this](http_exchange& x) { pull(x); });
  server_.on(base + ":acknowledge", [this](http_exchange& x) { acknowledge(x); });
  server_.on(base + ":modifyAckDeadline", [this](http_exchange& x) { set_deadline(x); });
  server_.on(std::string("POST /v1/") + topic + ":publish",
             [this](http_exchange& x) { publish_all(x); });
}

void pubsub_stand_in::publish(const std::string& data) {
  const std::lock_guard lock(mutex_);
  messages_.push_back({std::to_string(next_id_++), data});
}

void pubsub_stand_in::fail_next(const std::string& method, int status, int times) {
  const std::lock_guard lock(mutex_);
  failures_[method] = {status, times};
}

void pubsub_stand_in::on_acknowledge(std::function<void(const std::string&)> what) {
  const std::lock_guard lock(mutex_);
  acknowledged_ = std::move(what);
}

void pubsub_stand_in::hang_when_empty() {
  const std::lock_guard lock(mutex_);
  hangs_ = true;
}

std::vector<std::string> pubsub_stand_in::wrong() const {
  const std::lock_guard lock(mutex_);
  return wrong_;
}

std::size_t pubsub_stand_in::left() const {
  const std::lock_guard lock(mutex_);
  return messages_.size();
}

std::size_t pubsub_stand_in::outstanding() const {
  const std::lock_guard lock(mutex_);
  return static_cast<std::size_t>(std::count_if(messages_.begin(), messages_.end(),
                                                [](const auto& each) { return each.given; }));
}

std::vector<int> pubsub_stand_in::deadlines() const {
  const std::lock_guard lock(mutex_);
  return deadlines_;
}

process_environment pubsub_stand_in::settings() const {
  return {{"PUBSUB_EMULATOR_HOST", "127.0.0.1:" + std::to_string(server_.port())},
          {"PUBSUB_SUBSCRIPTION", "pdf-processing-subscription"},
          {"GCP_PROJECT_ID", "local-dev"}};
}

bool pubsub_stand_in::refuses(const std::string& method, http_exchange& exchange) {
  int status = 0;
  {
    const std::lock_guard lock(mutex_);
    auto& [planned, times] = failures_[method];
    if (times > 0) {
      --times;
      status = planned;
    }
  }
  if (status == 0) return false;
  exchange.answer(status, R"({"error":{"code":503,"message":"try later","status":"UNAVAILABLE"}})",
                  {{"Content-Type", "application/json"}});
  return true;
}

void pubsub_stand_in::refuse(http_exchange& exchange, const std::string& why) {
  {
    const std::lock_guard lock(mutex_);
    wrong_.push_back(why + ": " + exchange.call().raw);
  }
  exchange.answer(400, R"({"error":{"code":400,"message":"bad","status":"INVALID_ARGUMENT"}})");
}

void pubsub_stand_in::publish_all(http_exchange& exchange) {
  const auto body = json::parse(exchange.call().body, nullptr, false);
  json ids = json::array();
  for (const auto& each : body.at("messages")) {
    publish(http::base64_decoded(each.at("data").get<std::string>()).value());
    ids.push_back("1");
  }
  exchange.answer(200, json{{"messageIds", ids}}.dump());
}

void pubsub_stand_in::pull(http_exchange& exchange) {
  if (refuses("pull", exchange)) return;
  const auto body = json::parse(exchange.call().body, nullptr, false);
  if (!has_only(body, {"maxMessages", "returnImmediately"}) ||
      !body.value("maxMessages", json()).is_number_integer() || body["maxMessages"] < 1 ||
      exchange.call().header("Content-Type") != "application/json") {
    return refuse(exchange, "pull");
  }
  json list = json::array();
  bool hang = false;
  {
    const std::lock_guard lock(mutex_);
    for (auto& each : messages_) {
      if (each.given || static_cast<int>(list.size()) >= body["maxMessages"].get<int>()) continue;
      each.given = true;
      each.ack_id = "ack-" + each.id + "-" + std::to_string(next_id_++);
      list.push_back({{"ackId", each.ack_id},
                      {"message",
                       {{"data", http::base64(each.data)},
                        {"messageId", each.id},
                        {"publishTime", "2026-02-12T06:30:00Z"}}}});
    }
    hang = hangs_ && list.empty();
  }
  if (hang) return exchange.hang();
  // "For JSON, the response can be entirely empty."
  const auto answer = list.empty() ? json::object() : json{{"receivedMessages", list}};
  exchange.answer(200, answer.dump(), {{"Content-Type", "application/json"}});
}

void pubsub_stand_in::acknowledge(http_exchange& exchange) {
  if (refuses("acknowledge", exchange)) return;
  const auto body = json::parse(exchange.call().body, nullptr, false);
  if (!has_only(body, {"ackIds"}) || !are_ack_ids(body)) return refuse(exchange, "acknowledge");
  for (const auto& each_id : body["ackIds"]) {
    const auto& id = each_id.get_ref<const std::string&>();
    const std::lock_guard lock(mutex_);
    const auto found = std::find_if(messages_.begin(), messages_.end(),
                                    [&](const auto& each) { return each.ack_id == id; });
    if (found == messages_.end()) {
      wrong_.push_back("acknowledge of the unknown " + id);
      continue;
    }
    if (acknowledged_) acknowledged_(found->data);
    messages_.erase(found);
  }
  exchange.answer(200, "{}");
}

void pubsub_stand_in::set_deadline(http_exchange& exchange) {
  if (refuses("modifyAckDeadline", exchange)) return;
  const auto body = json::parse(exchange.call().body, nullptr, false);
  const auto seconds = body.is_object() ? body.value("ackDeadlineSeconds", json()) : json();
  if (!has_only(body, {"ackIds", "ackDeadlineSeconds"}) || !are_ack_ids(body) ||
      !seconds.is_number_integer() || seconds < 0 || seconds > 600) {
    return refuse(exchange, "modifyAckDeadline");
  }
  {
    const std::lock_guard lock(mutex_);
    deadlines_.push_back(seconds.get<int>());
    for (auto& each : messages_) {
      const auto& ids = body["ackIds"];
      if (seconds == 0 && std::find(ids.begin(), ids.end(), each.ack_id) != ids.end()) {
        each.given = false;
      }
    }
  }
  exchange.answer(200, "{}");
}

}  // namespace rowrunner::testing
