#include "api/secret.hpp"

#include <openssl/crypto.h>
#include <openssl/rand.h>
#include <openssl/sha.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <stdexcept>

#include "common/http/base64.hpp"

namespace rowrunner::api {
namespace {

constexpr std::size_t secret_size = 43;
constexpr std::string_view alphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

bool is_secret(std::string_view text) {
  return text.size() == secret_size && text.find_first_not_of(alphabet) == std::string_view::npos;
}

std::string sha256(std::string_view bytes) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), digest.data());
  return {digest.begin(), digest.end()};
}

std::string hexadecimal(std::string_view bytes) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string out;
  for (const char each : bytes) {
    const auto byte = static_cast<unsigned char>(each);
    out += digits[byte >> 4];
    out += digits[byte & 15];
  }
  return out;
}

}  // namespace

std::string new_secret() {
  std::array<unsigned char, 32> bytes{};
  if (RAND_bytes(bytes.data(), static_cast<int>(bytes.size())) != 1) {
    throw std::runtime_error("the system has no random bytes");
  }
  return rowrunner::http::base64_url(std::string(bytes.begin(), bytes.end()));
}

std::string key_text(std::string_view prefix, std::int64_t id, std::string_view secret) {
  return std::string(prefix) + "_" + std::to_string(id) + "_" + std::string(secret);
}

std::optional<secret_key> parse_key(std::string_view prefix, std::string_view text) {
  if (!text.starts_with(prefix)) return std::nullopt;
  text.remove_prefix(prefix.size());
  if (!text.starts_with('_')) return std::nullopt;
  text.remove_prefix(1);
  const auto digits = text.find('_');
  if (digits == std::string_view::npos || digits == 0 || text.front() < '1' || text.front() > '9') {
    return std::nullopt;
  }
  std::int64_t id = 0;
  const auto end = text.data() + digits;
  if (std::from_chars(text.data(), end, id) != std::from_chars_result{end, {}}) {
    return std::nullopt;
  }
  text.remove_prefix(digits + 1);
  if (!is_secret(text)) return std::nullopt;
  return secret_key{id, std::string(text)};
}

std::string proof_of(std::string_view secret) { return hexadecimal(sha256(secret)); }

std::string hash_of(std::string_view secret) { return hexadecimal(sha256(sha256(secret))); }

bool same_hash(std::string_view one, std::string_view other) {
  return one.size() == other.size() && !one.empty() &&
         CRYPTO_memcmp(one.data(), other.data(), one.size()) == 0;
}

}  // namespace rowrunner::api
