#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "support/http_stand_in.hpp"

namespace rowrunner::testing {

/// A receiver written from the document alone, as a script of Google Apps Script would be: it
/// checks the token of the body, and takes an event once per idempotencyKey.
class order_receiver {
 public:
  /// What to do before the event is taken; true if the answer was given.
  using mishap = std::function<bool(int call, const nlohmann::json& event, http_exchange&)>;

  explicit order_receiver(std::string token, mishap before = {})
      : token_(std::move(token)), before_(std::move(before)) {
    server_.on("POST /exec", [this](http_exchange& x) { take(x); });
    server_.on("GET /echo", [](http_exchange& x) { x.answer(200, R"({"ok":true})"); });
  }

  std::string url() const { return server_.url("/exec"); }
  http_stand_in& server() { return server_; }

  /// The pages in the order in which each was first taken.
  std::vector<int> pages() const {
    const std::lock_guard lock(mutex_);
    return order_;
  }
  nlohmann::json page(int number) const {
    const std::lock_guard lock(mutex_);
    return pages_.at(number);
  }
  std::vector<nlohmann::json> summaries() const {
    const std::lock_guard lock(mutex_);
    return summaries_;
  }
  /// By idempotencyKey: the webhook-ids under which an event has come.
  std::map<std::string, std::set<std::string>> ids() const {
    const std::lock_guard lock(mutex_);
    return ids_;
  }
  int refused() const {
    const std::lock_guard lock(mutex_);
    return refused_;
  }

 private:
  void take(http_exchange& x) {
    const auto event = nlohmann::json::parse(x.call().body);
    int call = 0;
    {
      const std::lock_guard lock(mutex_);
      call = ++calls_;
      ids_[event.value("idempotencyKey", "summary")].insert(x.call().header("webhook-id"));
      if (event.value("token", "") != token_ ||
          x.call().header("Authorization") != "Bearer " + token_) {
        ++refused_;
      }
    }
    if (before_ && before_(call, event, x)) return;
    keep(event);
    x.answer(200, R"({"ok":true})");
  }

  void keep(const nlohmann::json& event) {
    const std::lock_guard lock(mutex_);
    if (event.at("event") == "JOB_SUMMARY") {
      summaries_.push_back(event);
    } else if (seen_.insert(event.at("idempotencyKey")).second) {
      order_.push_back(event.at("pageIndex"));
      pages_[event.at("pageIndex")] = event;
    }
  }

  const std::string token_;
  const mishap before_;
  mutable std::mutex mutex_;
  int calls_ = 0;
  int refused_ = 0;
  std::vector<int> order_;
  std::set<std::string> seen_;
  std::map<int, nlohmann::json> pages_;
  std::vector<nlohmann::json> summaries_;
  std::map<std::string, std::set<std::string>> ids_;
  /// The last member: it is the first to go, and with it the threads that use the others.
  http_stand_in server_;

 public:
  /// For mishaps that take the event and then answer otherwise.
  void keep_event(const nlohmann::json& event) { keep(event); }
};

}  // namespace rowrunner::testing
