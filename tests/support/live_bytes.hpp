#pragma once

#include <malloc.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstddef>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
extern "C" std::size_t __sanitizer_get_current_allocated_bytes();
#endif

namespace rowrunner::testing {

/// What this process has allocated and not freed.
inline std::size_t live_bytes() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return __sanitizer_get_current_allocated_bytes();
#else
  const auto now = mallinfo2();
  return now.uordblks + now.hblkhd;
#endif
}

/// How much more was allocated at any look than when it was made.
class memory_growth {
 public:
  void look() { most_ = std::max(most_, live_bytes()); }
  std::size_t bytes() const { return most_ - before_; }

 private:
  const std::size_t before_ = live_bytes();
  std::size_t most_ = before_;
};

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool is_sanitized = true;
#else
inline constexpr bool is_sanitized = false;
#endif

/// The most memory that any process had that this one started and that has ended. What this process
/// had when it started it counts, too.
inline std::size_t most_bytes_of_a_child() {
  rusage used{};
  getrusage(RUSAGE_CHILDREN, &used);
  return static_cast<std::size_t>(used.ru_maxrss) * 1024;
}

}  // namespace rowrunner::testing
