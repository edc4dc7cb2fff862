#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>

namespace rowrunner {

struct json_limits {
  std::size_t bytes = 1024 * 1024;
  /// Arrays and objects inside of each other. Code that walks the value may use the stack for each.
  std::size_t depth = 32;
  /// Values of any type. An array of empty arrays takes up to a hundred times the bytes of its
  /// text.
  std::size_t elements = 10'000;
};

/// A text that is not JSON, or is beyond a limit. The message follows a subject, as in "is nested
/// deeper than 32".
struct foreign_json_error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Parses foreign JSON. Stops at the first value beyond a limit, so that the memory
/// stays within what the limits allow. Throws foreign_json_error.
nlohmann::json parse_foreign_json(std::string_view text, const json_limits& allowed = {});

/// The same for a text that may well be something else, such as the body of an error: null instead
/// of an exception.
nlohmann::json foreign_json_or_null(std::string_view text, const json_limits& allowed = {});

/// A member of an object as text: a string as it is, any other value as JSON. Empty if there is
/// none, if it is null, or if `object` is none.
std::string text_member(const nlohmann::json& object, const char* name);

}  // namespace rowrunner
