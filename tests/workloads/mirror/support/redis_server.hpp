#pragma once

#include <memory>
#include <string>
#include <vector>

#include "support/process.hpp"
#include "workloads/mirror/redis_connection.hpp"

namespace rowrunner::testing {

/// A Redis of one's own, which keeps nothing on disk and ends with this object.
class redis_server {
 public:
  explicit redis_server(std::vector<std::string> options = {});
  ~redis_server();
  redis_server(const redis_server&) = delete;
  redis_server& operator=(const redis_server&) = delete;

  /// Its data goes with it.
  void stop();
  /// On the same port.
  void start();
  void kill(int signal) { process_->kill(signal); }

  int port() const noexcept { return port_; }
  mirror::redis_address address() const;

  /// On a connection for this call.
  mirror::redis_answer ask(const mirror::redis_command& command) const;
  /// "" for null.
  std::string text(const mirror::redis_command& command) const;
  /// The items of a list, with blanks between.
  std::string list(const std::string& key) const;

 private:
  bool try_to_start();

  const std::vector<std::string> options_;
  std::string folder_;
  int port_ = 0;
  std::unique_ptr<child_process> process_;
};

}  // namespace rowrunner::testing
