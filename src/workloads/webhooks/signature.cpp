#include "workloads/webhooks/signature.hpp"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <array>
#include <optional>
#include <stdexcept>

#include "common/errors.hpp"
#include "common/http/base64.hpp"

namespace rowrunner::webhooks {
namespace {

constexpr std::size_t shortest_key = 24;
constexpr std::size_t longest_key = 64;
constexpr std::size_t most_keys = 10;

const auto* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

std::optional<std::string> decode_base64(std::string text) {
  while (text.size() % 4 != 0) text += '=';
  std::string out(text.size() / 4 * 3, '\0');
  const int size = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(out.data()), bytes_of(text),
                                   static_cast<int>(text.size()));
  if (size < 0) return std::nullopt;
  const auto last = text.find_last_not_of('=');
  const auto padding = last == std::string::npos ? text.size() : text.size() - last - 1;
  // OpenSSL counts what the padding stands for.
  if (padding > 2) return std::nullopt;
  out.resize(static_cast<std::size_t>(size) - padding);
  return out;
}

std::string parse_key(std::string_view text, const std::string& name) {
  constexpr std::string_view prefix = "whsec_";
  std::optional<std::string> key(text);
  if (text.starts_with(prefix)) {
    key = text.size() > 200 ? std::nullopt : decode_base64(std::string(text.substr(prefix.size())));
    if (!key) throw usage_error(name + ": a key that begins with whsec_ must go on in base64");
  }
  if (key->size() < shortest_key || key->size() > longest_key) {
    throw usage_error(name + ": a key must have " + std::to_string(shortest_key) + " to " +
                      std::to_string(longest_key) + " bytes, not " + std::to_string(key->size()));
  }
  return *key;
}

std::string hmac_sha256(std::string_view key, std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  if (!HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()), bytes_of(text), text.size(),
            digest.data(), &size)) {
    throw std::runtime_error("a delivery cannot be signed");
  }
  return {reinterpret_cast<const char*>(digest.data()), size};
}

}  // namespace

signing_keys parse_keys(std::string_view text, const std::string& name) {
  constexpr std::string_view separators = " \t,";
  signing_keys out;
  for (auto from = text.find_first_not_of(separators); from != std::string_view::npos;
       from = text.find_first_not_of(separators, from)) {
    const auto end = std::min(text.find_first_of(separators, from), text.size());
    out.push_back(parse_key(text.substr(from, end - from), name));
    from = end;
  }
  if (out.size() > most_keys) throw usage_error(name + ": at most ten keys");
  return out;
}

std::string signature(const signing_keys& keys, std::string_view id, std::string_view timestamp,
                      std::string_view body) {
  std::string signed_text;
  signed_text.reserve(id.size() + timestamp.size() + body.size() + 2);
  signed_text.append(id).append(".").append(timestamp).append(".").append(body);
  std::string out;
  for (const auto& key : keys) {
    out += (out.empty() ? "v1," : " v1,") + http::base64(hmac_sha256(key, signed_text));
  }
  return out;
}

std::string timestamp_text(std::chrono::system_clock::time_point when) {
  using std::chrono::duration_cast;
  return std::to_string(duration_cast<std::chrono::seconds>(when.time_since_epoch()).count());
}

}  // namespace rowrunner::webhooks
