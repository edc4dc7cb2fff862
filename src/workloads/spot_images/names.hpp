#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace rowrunner::spot_images {

/// The limits of the tables, in characters.
constexpr std::size_t max_plan_id = 100;
constexpr std::size_t max_spot_name = 200;

/// The text in Unicode normal form C: が is one character, however it was typed. Throws bad_input
/// for NUL and broken UTF-8; `what` begins the message.
std::string nfc(std::string_view text, std::string_view what = "text");

/// The same, and throws bad_input if the outcome is longer than `max_characters`.
std::string nfc_within(std::string_view text, std::string_view what, std::size_t max_characters);

/// Keys of the tables: in normal form, not empty, not too long, without control characters. Throw
/// bad_input.
std::string checked_plan_id(std::string_view text, std::string_view what = "plan_id");
std::string checked_spot_name(std::string_view text, std::string_view what = "spot_name");

}  // namespace rowrunner::spot_images
