#pragma once

#include <string>
#include <vector>

namespace rowrunner::testing {

/// The connection is closed without an answer.
constexpr int closed = 0;

struct malformed_request {
  std::string name;
  std::string bytes;
  /// The status of the only answer.
  int expected = closed;
};

std::vector<malformed_request> malformed_requests();

}  // namespace rowrunner::testing
