#include "support/certificate.hpp"

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <memory>
#include <stdexcept>

namespace rowrunner::testing {
namespace {

template <auto Free>
struct freeing {
  void operator()(auto* object) const { Free(object); }
};
using key_pointer = std::unique_ptr<EVP_PKEY, freeing<&EVP_PKEY_free>>;
using bio_pointer = std::unique_ptr<BIO, freeing<&BIO_free>>;
using certificate_pointer = std::unique_ptr<X509, freeing<&X509_free>>;
using extension_pointer = std::unique_ptr<X509_EXTENSION, freeing<&X509_EXTENSION_free>>;
using digest_pointer = std::unique_ptr<EVP_MD_CTX, freeing<&EVP_MD_CTX_free>>;

void require(bool done, const char* what) {
  if (!done) throw std::runtime_error(std::string("OpenSSL: ") + what);
}

std::string content(BIO* from) {
  char* data = nullptr;
  const long size = BIO_ctrl(from, BIO_CTRL_INFO, 0, &data);
  return {data, static_cast<std::size_t>(size)};
}

std::string private_pem(EVP_PKEY* key) {
  const bio_pointer out(BIO_new(BIO_s_mem()));
  require(PEM_write_bio_PKCS8PrivateKey(out.get(), key, nullptr, nullptr, 0, nullptr, nullptr) == 1,
          "private key");
  return content(out.get());
}

void extend(X509* to, int kind, const std::string& value) {
  X509V3_CTX context{};
  X509V3_set_ctx(&context, to, to, nullptr, nullptr, 0);
  const extension_pointer extension(X509V3_EXT_conf_nid(nullptr, &context, kind, value.c_str()));
  require(extension && X509_add_ext(to, extension.get(), -1) == 1, "extension");
}

key_pointer new_rsa_key() {
  key_pointer key(EVP_PKEY_Q_keygen(nullptr, nullptr, "RSA", std::size_t{2048}));
  require(key != nullptr, "RSA key");
  return key;
}

}  // namespace

certificate make_certificate(const std::vector<std::string>& names) {
  const key_pointer key(EVP_PKEY_Q_keygen(nullptr, nullptr, "EC", "P-256"));
  require(key != nullptr, "EC key");
  const certificate_pointer made(X509_new());
  X509_set_version(made.get(), X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(made.get()), 1);
  X509_gmtime_adj(X509_getm_notBefore(made.get()), -3600);
  X509_gmtime_adj(X509_getm_notAfter(made.get()), 24 * 3600);
  X509_set_pubkey(made.get(), key.get());
  X509_NAME* subject = X509_get_subject_name(made.get());
  X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>("rowrunner test"), -1, -1, 0);
  X509_set_issuer_name(made.get(), subject);
  std::string all;
  for (const auto& each : names) all += (all.empty() ? "" : ",") + each;
  extend(made.get(), NID_subject_alt_name, all);
  extend(made.get(), NID_basic_constraints, "critical,CA:TRUE");
  require(X509_sign(made.get(), key.get(), EVP_sha256()) != 0, "signature");
  const bio_pointer out(BIO_new(BIO_s_mem()));
  require(PEM_write_bio_X509(out.get(), made.get()) == 1, "certificate");
  return {content(out.get()), private_pem(key.get())};
}

rsa_key make_rsa_key() {
  const key_pointer key = new_rsa_key();
  const bio_pointer out(BIO_new(BIO_s_mem()));
  require(PEM_write_bio_PUBKEY(out.get(), key.get()) == 1, "public key");
  return {private_pem(key.get()), content(out.get())};
}

bool verify_rs256(const std::string& public_pem, const std::string& text,
                  const std::string& signature) {
  const bio_pointer in(BIO_new_mem_buf(public_pem.data(), static_cast<int>(public_pem.size())));
  const key_pointer key(PEM_read_bio_PUBKEY(in.get(), nullptr, nullptr, nullptr));
  const digest_pointer context(EVP_MD_CTX_new());
  return EVP_DigestVerifyInit(context.get(), nullptr, EVP_sha256(), nullptr, key.get()) == 1 &&
         EVP_DigestVerify(context.get(), reinterpret_cast<const unsigned char*>(signature.data()),
                          signature.size(), reinterpret_cast<const unsigned char*>(text.data()),
                          text.size()) == 1;
}

std::string decode_base64_url(std::string text) {
  for (char& c : text) {
    if (c == '-') c = '+';
    if (c == '_') c = '/';
  }
  std::size_t padding = 0;
  for (; text.size() % 4 != 0; ++padding) text += '=';
  std::string out(text.size(), '\0');
  const int size = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(out.data()),
                                   reinterpret_cast<const unsigned char*>(text.data()),
                                   static_cast<int>(text.size()));
  require(size >= 0, "base64");
  out.resize(static_cast<std::size_t>(size) - padding);
  return out;
}

}  // namespace rowrunner::testing
