#pragma once

#include <memory>
#include <pqxx/pqxx>
#include <string>

#include "chaos/proxy/fault_proxy.hpp"
#include "support/pooler.hpp"

namespace rowrunner::chaos {

/// A PostgreSQL server of the run's own, with fsync on, its migrated database, a pooler and a fault
/// proxy in front of it.
class arena {
 public:
  explicit arena(const std::string& folder);
  ~arena();
  arena(const arena&) = delete;
  arena& operator=(const arena&) = delete;

  /// Straight to the server, past all faults but those of the server itself.
  const std::string& url() const { return url_; }
  const std::string& password() const { return password_; }
  /// Through a new link of the proxy; pooled: and through the pooler behind it.
  std::string open_link(const std::string& link, bool pooled);
  std::string pooled_url() const { return pooler_->through(url_); }
  fault_proxy& proxy() { return proxy_; }

  void crash_server();
  void start_server();

  /// A connection for the runner itself: straight, and free of the limits that faults set.
  std::unique_ptr<pqxx::connection> connect() const;

 private:
  std::string server_url_;
  std::string url_;
  std::string password_;
  std::unique_ptr<testing::pooler> pooler_;
  fault_proxy proxy_;
};

}  // namespace rowrunner::chaos
