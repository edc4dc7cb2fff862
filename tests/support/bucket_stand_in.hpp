#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "support/http_stand_in.hpp"
#include "support/process.hpp"

namespace rowrunner::testing {

/// A bucket named `pictures` behind the JSON API of Cloud Storage, held in memory.
class bucket_stand_in {
 public:
  /// Looks at an upload before it is stored, by the object's name; true if it has taken care of the
  /// exchange, and nothing is to be stored.
  using gate = std::function<bool(const std::string& name, http_exchange&)>;

  bucket_stand_in();

  void set_gate(gate what);
  /// Answers every DELETE with 403, as for an account that may only create.
  void forbid_deletes();

  std::optional<std::string> object(const std::string& name) const;
  void erase(const std::string& name);

  /// What the worker needs to be told.
  process_environment settings() const;
  http_stand_in& server() noexcept { return server_; }

 private:
  void upload(http_exchange& exchange);
  void serve(http_exchange& exchange, const std::string& name);

  mutable std::mutex mutex_;
  std::map<std::string, std::string> objects_;
  gate gate_;
  bool deletes_ = true;
  /// The last member: it is the first to go, and with it the threads that use the others.
  http_stand_in server_;
};

}  // namespace rowrunner::testing
