#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace rowrunner::http {

/// With padding, on one line.
std::string base64(std::string_view bytes);
/// The form of JSON Web Tokens: - and _ for + and /, no padding.
std::string base64_url(std::string_view bytes);

/// The bytes of either form, with or without padding; nothing if the text is neither.
std::optional<std::string> base64_decoded(std::string_view text);

}  // namespace rowrunner::http
