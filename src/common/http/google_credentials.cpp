#include "common/http/google_credentials.hpp"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "common/errors.hpp"
#include "common/foreign_json.hpp"
#include "common/http/address_policy.hpp"
#include "common/http/base64.hpp"
#include "common/http/error.hpp"
#include "common/http/url.hpp"

namespace rowrunner::http {
namespace {

using key_pointer = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;

// Null if the text holds no key without a password.
key_pointer read_key(const std::string& pem) {
  const std::unique_ptr<BIO, decltype(&BIO_free)> text(
      BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())), &BIO_free);
  const auto no_password = [](char*, int, int, void*) { return 0; };
  key_pointer key(PEM_read_bio_PrivateKey(text.get(), nullptr, no_password, nullptr),
                  &EVP_PKEY_free);
  ERR_clear_error();
  return key;
}

std::string sign(EVP_PKEY* key, const std::string& text) {
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(),
                                                                        &EVP_MD_CTX_free);
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
  std::size_t size = 0;
  std::string out;
  bool done = EVP_DigestSignInit(context.get(), nullptr, EVP_sha256(), nullptr, key) == 1 &&
              EVP_DigestSign(context.get(), nullptr, &size, bytes, text.size()) == 1;
  if (done) {
    out.resize(size);
    done = EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(out.data()), &size, bytes,
                          text.size()) == 1;
  }
  ERR_clear_error();
  if (!done) throw std::runtime_error("the service account's key cannot sign");
  out.resize(size);
  return out;
}

std::string field(const nlohmann::json& object, const char* key, const std::string& name) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_string() || found->get<std::string>().empty()) {
    throw usage_error(name + ": has no \"" + key + "\"; it must be the key of a service account");
  }
  return found->get<std::string>();
}

std::string field_or(const nlohmann::json& object, const char* key, const std::string& otherwise,
                     const std::string& name) {
  return object.contains(key) ? field(object, key, name) : otherwise;
}

void check_token_server(const std::string& token_uri, const std::string& name) {
  try {
    check_private(parse_url(token_uri).server, name + ": \"token_uri\"");
  } catch (const error&) {
    throw usage_error(name + ": \"token_uri\" is not an http or https URL");
  }
}

// Metadata servers speak plain http only, and tokens come from there: so it must be one that no
// other machine can pose as.
std::string metadata_url(const std::string& host, const std::string& variable) {
  metadata_server usual;
  const std::string url = "http://" + host;
  try {
    const auto server = parse_url(url).server;
    if (is_loopback(server.host) || is_link_local(server.host)) return url;
    if (server == parse_url(usual.base_url).server) return url;
  } catch (const error&) {
  }
  throw usage_error(variable + ": must be metadata.google.internal, a link-local address such as " +
                    "169.254.169.254, or this machine");
}

std::string read_file(const std::string& path, const std::string& variable) {
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    throw usage_error(variable + ": " + path + " cannot be read: " + std::strerror(errno));
  }
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

service_account parse_service_account(std::string_view json, const std::string& name) {
  const auto object = foreign_json_or_null(json);
  if (!object.is_object()) throw usage_error(name + ": is not a JSON object");
  if (const auto type = field(object, "type", name); type != "service_account") {
    throw usage_error(name + ": \"type\" must be service_account");
  }
  service_account out;
  out.client_email = field(object, "client_email", name);
  out.private_key = field(object, "private_key", name);
  out.private_key_id = field_or(object, "private_key_id", "", name);
  out.token_uri = field_or(object, "token_uri", "https://oauth2.googleapis.com/token", name);
  const key_pointer key = read_key(out.private_key);
  if (!key || EVP_PKEY_get_base_id(key.get()) != EVP_PKEY_RSA) {
    throw usage_error(name + ": \"private_key\" is not an RSA key in PEM");
  }
  check_token_server(out.token_uri, name);
  return out;
}

google_credentials google_credentials_from(const environment& settings) {
  const std::string variable = "GOOGLE_APPLICATION_CREDENTIALS";
  if (const auto path = settings.get(variable)) {
    return parse_service_account(read_file(*path, variable), variable + ": " + *path);
  }
  metadata_server server;
  const std::string metadata = "GCE_METADATA_HOST";
  if (const auto host = settings.get(metadata)) server.base_url = metadata_url(*host, metadata);
  return server;
}

std::string signed_assertion(const service_account& account, const std::string& scope,
                             std::chrono::system_clock::time_point now) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now.time_since_epoch());
  nlohmann::json header = {{"alg", "RS256"}, {"typ", "JWT"}};
  if (!account.private_key_id.empty()) header["kid"] = account.private_key_id;
  const nlohmann::json claims = {{"iss", account.client_email},
                                 {"scope", scope},
                                 {"aud", account.token_uri},
                                 {"iat", seconds.count()},
                                 {"exp", seconds.count() + 3600}};
  const std::string text = base64_url(header.dump()) + "." + base64_url(claims.dump());
  const key_pointer key = read_key(account.private_key);
  if (!key) throw std::runtime_error("the service account's key cannot be read");
  return text + "." + base64_url(sign(key.get(), text));
}

}  // namespace rowrunner::http
