#pragma once

#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>

namespace rowrunner::providers {

/// What a provider was asked for could not be had. The message is one line without secrets.
struct provider_error : std::runtime_error {
  explicit provider_error(const std::string& what, bool is_final = false,
                          std::optional<std::chrono::milliseconds> wait = std::nullopt)
      : std::runtime_error(what), final(is_final), after(wait) {}

  /// Asking again gives the same answer.
  bool final;
  /// How long the other side asks to wait.
  std::optional<std::chrono::milliseconds> after;
};

/// The service that all pages need takes no calls for a long time: that is no failure of a page.
/// The job should give its place to another, uncharged, and come back after that time.
struct service_busy : std::runtime_error {
  service_busy(const std::string& what, std::chrono::milliseconds wait)
      : std::runtime_error(what), after(wait) {}

  std::chrono::milliseconds after;
};

}  // namespace rowrunner::providers
