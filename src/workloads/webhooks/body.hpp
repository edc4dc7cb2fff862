#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace rowrunner::webhooks {

/// The payload, a JSON object, with one more member at its end: the token, for receivers that
/// cannot read headers. All else stays as it is, byte for byte.
std::string with_token(std::string_view payload, std::string_view member, std::string_view token);

/// A text that may quote the token, without it.
std::string without_token(std::string text, const std::optional<std::string>& token);

inline constexpr std::string_view masked_token = "******";

}  // namespace rowrunner::webhooks
