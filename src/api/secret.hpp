#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rowrunner::api {

/// Tokens, the values of cookies, and tickets: "rr_7_<secret>". The number finds the row, so that
/// no secret is looked up in an index. The database never gets a secret: it is shown a proof, and
/// keeps the hash of the proof. Who reads its log or its rows cannot ask the server with that.
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

/// The SHA-256 of the secret, as 64 hexadecimal digits: what shows the database that one knows it.
std::string proof_of(std::string_view secret);
/// The SHA-256 of the proof: what the database keeps, and compares.
std::string hash_of(std::string_view secret);
/// In a time that does not tell where they differ.
bool same_hash(std::string_view one, std::string_view other);

}  // namespace rowrunner::api
