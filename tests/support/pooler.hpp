#pragma once

#include <memory>
#include <string>

#include "support/process.hpp"

namespace rowrunner::testing {

/// PgBouncer in transaction mode in front of the server of a URL. It ends with this object.
class pooler {
 public:
  /// `settings` are lines of its configuration that win over those it has otherwise. Throws
  /// std::runtime_error if it does not start.
  explicit pooler(const std::string& server_url, const std::string& settings = "");
  ~pooler();
  pooler(const pooler&) = delete;
  pooler& operator=(const pooler&) = delete;

  /// The same database, through the pooler.
  std::string through(const std::string& url) const;
  int port() const noexcept { return port_; }

 private:
  std::string folder_;
  int port_ = 0;
  std::unique_ptr<child_process> process_;
};

/// Where the workers and servers of a test connect: to the database itself or, if
/// ROWRUNNER_TEST_POOLER is 1, through a pooler that is started for this process. What the test
/// itself asks and changes does not go through it.
struct worker_endpoint {
  std::string url;
  bool pooled;
};
worker_endpoint endpoint_for_workers(const std::string& database_url);

}  // namespace rowrunner::testing
