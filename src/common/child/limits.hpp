#pragma once

#include <chrono>
#include <cstddef>

namespace rowrunner::child {

/// What one request may use.
struct limits {
  /// Of address space, over the life of the child.
  std::size_t memory_bytes = std::size_t{1} << 30;
  std::chrono::seconds cpu{60};
  std::chrono::milliseconds wall{120'000};
  /// Of the answer as JSON.
  std::size_t output_bytes = std::size_t{16} << 20;
  /// Of each file that it writes.
  std::size_t file_bytes = std::size_t{512} << 20;
};

}  // namespace rowrunner::child
