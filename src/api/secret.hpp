#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rowrunner::api {

/// Tokens, the values of cookies, and tickets: "rr_7_<secret>". The number finds the row, so that
/// the secret is compared here, in constant time, and not by an index. The database has the SHA-256
/// of the secret only.
struct secret_key {
  std::int64_t id = 0;
  std::string secret;
};

inline constexpr std::string_view token_prefix = "rr";
inline constexpr std::string_view session_prefix = "rs";
inline constexpr std::string_view ticket_prefix = "rt";

/// 256 random bits, in 43 characters.
std::string new_secret();

std::string key_text(std::string_view prefix, std::int64_t id, std::string_view secret);
std::optional<secret_key> parse_key(std::string_view prefix, std::string_view text);

/// Of the secret, as 64 hexadecimal digits.
std::string hash_of(std::string_view secret);
/// In a time that does not tell where they differ.
bool same_hash(std::string_view one, std::string_view other);

}  // namespace rowrunner::api
