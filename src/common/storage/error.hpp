#pragma once

#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>

namespace rowrunner::storage {

/// A file could not be stored, read or removed. The message is one line without secrets.
struct error : std::runtime_error {
  error(const std::string& what, bool may_pass,
        std::optional<std::chrono::milliseconds> wait = std::nullopt)
      : std::runtime_error(what), temporary(may_pass), retry_after(wait) {}

  /// True if it may well succeed later.
  bool temporary;
  /// How long the storage asks to be left alone.
  std::optional<std::chrono::milliseconds> retry_after;
};

}  // namespace rowrunner::storage
