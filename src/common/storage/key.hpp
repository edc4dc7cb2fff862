#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rowrunner::storage {

/// Throws bad_input unless `key` names a file in every storage: a relative path of segments between
/// single '/', in UTF-8, of at most 900 bytes and 255 a segment, without `.`, `..`, backslashes and
/// control characters.
void check_key(std::string_view key);

/// The segments of a checked key.
std::vector<std::string> segments(std::string_view key);

/// The key as part of a URL: each segment percent-encoded.
std::string url_path(std::string_view key);

}  // namespace rowrunner::storage
