#include "support/token_issuer.hpp"

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <chrono>
#include <memory>
#include <stdexcept>

#include "common/http/base64.hpp"

namespace rowrunner::testing {
namespace {

using nlohmann::json;
using key_pointer = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;

key_pointer read_key(const std::string& pem) {
  const std::unique_ptr<BIO, decltype(&BIO_free)> text(
      BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())), &BIO_free);
  key_pointer key(PEM_read_bio_PrivateKey(text.get(), nullptr, nullptr, nullptr), &EVP_PKEY_free);
  if (!key) throw std::runtime_error("no private key");
  return key;
}

std::string number(EVP_PKEY* key, const char* name) {
  BIGNUM* value = nullptr;
  if (EVP_PKEY_get_bn_param(key, name, &value) != 1) throw std::runtime_error("no such number");
  std::string out(static_cast<std::size_t>(BN_num_bytes(value)), '\0');
  BN_bn2bin(value, reinterpret_cast<unsigned char*>(out.data()));
  BN_free(value);
  return out;
}

std::string signature(EVP_PKEY* key, const std::string& text) {
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(),
                                                                        &EVP_MD_CTX_free);
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
  std::size_t size = 0;
  EVP_DigestSignInit(context.get(), nullptr, EVP_sha256(), nullptr, key);
  EVP_DigestSign(context.get(), nullptr, &size, bytes, text.size());
  std::string out(size, '\0');
  if (EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(out.data()), &size, bytes,
                     text.size()) != 1) {
    throw std::runtime_error("the key does not sign");
  }
  out.resize(size);
  return out;
}

}  // namespace

token_issuer::token_issuer(std::string key_id)
    : key_id_(std::move(key_id)), pair_(make_rsa_key()) {}

json token_issuer::key() const {
  const auto key = read_key(pair_.private_pem);
  return {{"kty", "RSA"},
          {"alg", "RS256"},
          {"use", "sig"},
          {"kid", key_id_},
          {"n", http::base64_url(number(key.get(), OSSL_PKEY_PARAM_RSA_N))},
          {"e", http::base64_url(number(key.get(), OSSL_PKEY_PARAM_RSA_E))}};
}

std::string token_issuer::keys() const { return json{{"keys", json::array({key()})}}.dump(); }

std::string token_issuer::sign(const json& claims) const {
  return sign({{"alg", "RS256"}, {"kid", key_id_}, {"typ", "JWT"}}, claims);
}

std::string token_issuer::sign(const json& header, const json& claims) const {
  const auto text = http::base64_url(header.dump()) + "." + http::base64_url(claims.dump());
  return text + "." + http::base64_url(signature(read_key(pair_.private_pem).get(), text));
}

json token_issuer::claims(const std::string& audience, const std::string& email) {
  const auto now = std::chrono::duration_cast<std::chrono::seconds>(
                       std::chrono::system_clock::now().time_since_epoch())
                       .count();
  return {{"aud", audience},
          {"azp", "113774264463038321964"},
          {"email", email},
          {"email_verified", true},
          {"exp", now + 3600},
          {"iat", now},
          {"iss", "https://accounts.google.com"},
          {"sub", "113774264463038321964"}};
}

}  // namespace rowrunner::testing
