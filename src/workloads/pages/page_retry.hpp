#pragma once

#include <chrono>
#include <exception>
#include <optional>
#include <string>

namespace rowrunner::pages {

/// One try of a page that failed.
struct failed_try {
  std::string error;
  bool final = false;
  std::optional<std::chrono::milliseconds> after;
};

/// Of a provider_error all that it says; of any other exception its message.
failed_try as_failed_try(const std::exception_ptr& thrown);

/// How long to wait after try number `tried`, from 1, has failed, and at least what the other side
/// asks for, up to ten minutes; nothing if there is no next try, because they are used up or the
/// failure is final.
std::optional<std::chrono::milliseconds> pause_before_next_try(const failed_try& failure, int tried,
                                                               int tries);

}  // namespace rowrunner::pages
