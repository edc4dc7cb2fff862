#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string_view>

namespace rowrunner::child {

/// A function over foreign files that runs in a child process only.
struct tool {
  std::string_view name;
  /// Returns the answer. Throws to refuse: the caller gets the message in a child::error.
  /// The files that come with a request are open descriptors, whose numbers are in the array
  /// "files" of the arguments, in the caller's order; they are closed after the call.
  nlohmann::json (*run)(const nlohmann::json& arguments);
};

/// The main function of a child: confines the process, then answers requests until the parent
/// closes the connection. Returns the exit code.
int serve(std::span<const tool> tools);

}  // namespace rowrunner::child
