#pragma once

#include <string>
#include <string_view>

namespace rowrunner::ocr_relay {

/// The member in whose value a text stops being JSON, as in "webhook.url"; empty if that is outside
/// of all members. A lone surrogate or a broken character is such a place.
std::string broken_member(std::string_view text);

}  // namespace rowrunner::ocr_relay
