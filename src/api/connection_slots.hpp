#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_set>

namespace rowrunner::api {

/// Decides which connections are served. When all slots are taken, newcomers get a spare one, in
/// place of the oldest in a spare one: a health check that asks at once is answered whatever holds
/// the others.
class connection_slots {
 public:
  using id = std::uint64_t;

  struct decision {
    bool spare = false;
    std::optional<id> cut{};
  };

  connection_slots(std::size_t regular, std::size_t spare) : regular_(regular), spare_(spare) {}

  decision admit(id newcomer);
  void leave(id which);

 private:
  const std::size_t regular_;
  const std::size_t spare_;
  std::unordered_set<id> served_;
  std::deque<id> spares_;
};

}  // namespace rowrunner::api
