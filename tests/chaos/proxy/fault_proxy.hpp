#pragma once

#include <mutex>
#include <string>

#include "support/process.hpp"

namespace rowrunner::chaos {

/// A fault proxy process, and the wire to command it by. From any thread.
class fault_proxy {
 public:
  /// Its socket and its record are files in `folder`.
  explicit fault_proxy(const std::string& folder);
  ~fault_proxy();
  fault_proxy(const fault_proxy&) = delete;
  fault_proxy& operator=(const fault_proxy&) = delete;

  /// Gives what stands behind "ok"; throws std::runtime_error for any other answer.
  std::string tell(const std::string& command);

  /// Opens a link to the server of a libpq URL, or of `upstream` (HOST:PORT) if it is named; gives
  /// the URL that goes through it.
  std::string open(const std::string& link, const std::string& url, std::string upstream = {});

  std::string record_path() const { return folder_ + "/proxy.log"; }

 private:
  std::string folder_;
  testing::child_process process_;
  std::mutex mutex_;
  int socket_ = -1;
};

/// HOST:PORT of a libpq URL, and the URL with another one.
std::string authority_of(const std::string& url);
std::string with_authority(std::string url, const std::string& authority);

}  // namespace rowrunner::chaos
