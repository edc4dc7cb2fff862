#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace rowrunner {

/// The length in bytes of the UTF-8 character that `text` begins with; 0 if it is broken (an
/// overlong form, a surrogate, beyond U+10FFFF, cut off) or `text` is empty.
std::size_t utf8_length(std::string_view text);

bool valid_utf8(std::string_view text);

/// Throws bad_input if PostgreSQL could not store `value` as it is: NUL or broken UTF-8. `what`
/// begins the message, as in "column spot_name".
void check_text(std::string_view what, std::string_view value);

/// Makes any bytes storable and printable: each NUL or broken byte becomes U+FFFD, and what is
/// longer than `max_bytes` is cut at the end of a character.
std::string printable(std::string_view text, std::size_t max_bytes);

/// Escapes what a terminal would obey or draw as something else: control characters (C0, DEL, C1),
/// line separators, and characters that are invisible or change the direction of writing. Escapes
/// are those of JSON strings (\u001b), so that a line of JSON still means the same. Broken bytes
/// become U+FFFD.
std::string visible(std::string_view text);

/// As PostgreSQL writes a uuid: 8-4-4-4-12 hexadecimal digits.
bool is_uuid(std::string_view text);

}  // namespace rowrunner
