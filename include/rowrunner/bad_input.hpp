#pragma once

#include <stdexcept>

namespace rowrunner {

/// What the caller gave cannot be used. The message is one line that says what is wrong with it;
/// nothing was sent to the database.
struct bad_input : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace rowrunner
