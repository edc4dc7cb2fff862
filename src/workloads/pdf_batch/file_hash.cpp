#include "workloads/pdf_batch/file_hash.hpp"

#include <openssl/evp.h>

#include <array>
#include <cerrno>
#include <fstream>
#include <memory>
#include <system_error>
#include <vector>

namespace rowrunner::pdf_batch {

std::string sha256_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> sum(EVP_MD_CTX_new(),
                                                                    EVP_MD_CTX_free);
  if (!sum || EVP_DigestInit_ex(sum.get(), EVP_sha256(), nullptr) != 1) {
    throw std::runtime_error("SHA-256 is not available");
  }
  std::vector<char> piece(1 << 20);
  while (in) {
    in.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    EVP_DigestUpdate(sum.get(), piece.data(), static_cast<std::size_t>(in.gcount()));
  }
  if (!in.eof())
    throw std::system_error(errno, std::generic_category(), "cannot read " + file.string());
  std::array<unsigned char, 32> bytes{};
  EVP_DigestFinal_ex(sum.get(), bytes.data(), nullptr);
  constexpr const char* digits = "0123456789abcdef";
  std::string out;
  for (const auto byte : bytes) {
    out += digits[byte >> 4];
    out += digits[byte & 15];
  }
  return out;
}

}  // namespace rowrunner::pdf_batch
