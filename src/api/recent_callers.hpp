#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>

#include "api/access.hpp"

namespace rowrunner::api {

/// Who has proven who they are in the last minute, for routes that answer while the database is
/// away: they serve what was read before, to those who could read it then.
class recent_callers {
 public:
  using clock = std::chrono::steady_clock;

  static constexpr std::chrono::seconds remembered_for{60};
  static constexpr std::size_t most = 1000;

  /// `proof`: what was shown; it is kept as a hash.
  void remember(const std::string& proof, const identity& who, clock::time_point now);
  std::optional<identity> find(const std::string& proof, clock::time_point now) const;

 private:
  struct caller {
    identity who;
    clock::time_point at;
  };

  std::map<std::string, caller> callers_;
};

}  // namespace rowrunner::api
