#pragma once

#include <rowrunner/bad_input.hpp>
#include <stdexcept>

namespace rowrunner {

/// A command line or a setting that makes no sense; ends the program with exit code 2.
struct usage_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace rowrunner
