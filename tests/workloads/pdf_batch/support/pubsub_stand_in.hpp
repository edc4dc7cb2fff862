#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "support/http_stand_in.hpp"
#include "support/process.hpp"

namespace rowrunner::testing {

/// A subscription of Pub/Sub behind its REST API (v1). What the public documentation does not allow
/// in a request is answered 400, and kept in wrong().
class pubsub_stand_in {
 public:
  static constexpr const char* path =
      "projects/local-dev/subscriptions/pdf-processing-subscription";

  static constexpr const char* topic = "projects/local-dev/topics/pdf-processing-topic";

  pubsub_stand_in();

  /// The data is what was published, not encoded yet.
  void publish(const std::string& data);
  /// The next calls of this method (pull, acknowledge, modifyAckDeadline) get this status.
  void fail_next(const std::string& method, int status, int times = 1);
  /// Called before an acknowledgement counts, with the message that it is of.
  void on_acknowledge(std::function<void(const std::string& data)> what);
  /// A pull without messages hangs, as at Google, instead of being answered with none.
  void hang_when_empty();

  std::vector<std::string> wrong() const;
  /// Published and not acknowledged.
  std::size_t left() const;
  /// Given out and neither acknowledged nor given back.
  std::size_t outstanding() const;
  /// The seconds of all calls of modifyAckDeadline.
  std::vector<int> deadlines() const;

  /// What `rowrunner pubsub` needs to be told.
  process_environment settings() const;
  http_stand_in& server() noexcept { return server_; }

 private:
  struct message {
    std::string id;
    std::string data;
    std::string ack_id{};
    bool given = false;
  };

  bool refuses(const std::string& method, http_exchange& exchange);
  void refuse(http_exchange& exchange, const std::string& why);
  void publish_all(http_exchange& exchange);
  void pull(http_exchange& exchange);
  void acknowledge(http_exchange& exchange);
  void set_deadline(http_exchange& exchange);

  mutable std::mutex mutex_;
  std::vector<message> messages_;
  int next_id_ = 1;
  bool hangs_ = false;
  std::map<std::string, std::pair<int, int>> failures_;
  std::function<void(const std::string&)> acknowledged_;
  std::vector<std::string> wrong_;
  std::vector<int> deadlines_;
  /// The last member: it is the first to go, and with it the threads that use the others.
  http_stand_in server_;
};

}  // namespace rowrunner::testing
