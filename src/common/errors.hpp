#pragma once

#include <rowrunner/bad_input.hpp>
#include <stdexcept>
#include <string>
#include <utility>

namespace rowrunner {

/// A command line or a setting that makes no sense; ends the program with exit code 2.
struct usage_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A worker is to serve a kind that is not attached.
struct kind_not_attached : std::runtime_error {
  kind_not_attached(std::string which, const std::string& attached)
      : std::runtime_error("unknown kind " + which + ": attached are " +
                           (attached.empty() ? "none" : attached)),
        kind(std::move(which)) {}

  std::string kind;
};

}  // namespace rowrunner
