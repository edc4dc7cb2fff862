#pragma once

#include <stdexcept>
#include <string>

namespace rowrunner::child {

enum class failure {
  /// The tool says that the file is bad; what() is its message.
  refused,
  /// The child died: a defect of a library that the file met.
  crashed,
  /// More CPU or wall time than a request may take.
  out_of_time,
  out_of_memory,
  /// The answer, or a file that was written, is larger than allowed.
  too_large,
  /// Too many calls wait already, or no child can be started. Nothing is known about the file.
  unavailable,
};

/// The name of the enumerator, for logs.
const char* name_of(failure why) noexcept;

/// A call that has no answer. The message is fit to be shown to those who sent the file.
struct error : std::runtime_error {
  error(failure reason, const std::string& message) : std::runtime_error(message), why(reason) {}

  failure why;
};

}  // namespace rowrunner::child
