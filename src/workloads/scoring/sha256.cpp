#include "workloads/scoring/sha256.hpp"

#include <openssl/evp.h>

#include <array>
#include <cstdint>
#include <stdexcept>

namespace rowrunner::scoring {

void sha256::release::operator()(evp_md_ctx_st* context) const noexcept {
  EVP_MD_CTX_free(context);
}

sha256::sha256() : context_(EVP_MD_CTX_new()) {
  if (!context_ || EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) != 1) {
    throw std::runtime_error("SHA-256 is not available");
  }
}

sha256::~sha256() = default;

void sha256::add_field(std::string_view text) {
  std::array<unsigned char, 8> length{};
  for (std::size_t i = 0; i < length.size(); ++i) {
    length[i] = static_cast<unsigned char>(static_cast<std::uint64_t>(text.size()) >> (8 * i));
  }
  EVP_DigestUpdate(context_.get(), length.data(), length.size());
  EVP_DigestUpdate(context_.get(), text.data(), text.size());
}

std::string sha256::hex() {
  std::array<unsigned char, 32> bytes{};
  EVP_DigestFinal_ex(context_.get(), bytes.data(), nullptr);
  constexpr const char* digits = "0123456789abcdef";
  std::string out;
  for (const auto byte : bytes) {
    out += digits[byte >> 4];
    out += digits[byte & 15];
  }
  return out;
}

}  // namespace rowrunner::scoring
