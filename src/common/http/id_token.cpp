#include "common/http/id_token.hpp"

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>

#include <algorithm>
#include <rowrunner/bad_input.hpp>

#include "common/foreign_json.hpp"
#include "common/http/base64.hpp"

namespace rowrunner::http {
namespace {

using nlohmann::json;
using std::chrono::system_clock;

constexpr json_limits allowed{256 * 1024, 8, 2000};
constexpr std::size_t max_token = 16 * 1024;
constexpr std::chrono::seconds skew{60};
/// Google's live for an hour; one that claims more was not made by Google.
constexpr std::chrono::hours longest_life{24};

template <auto Free>
struct freed_by {
  template <typename T>
  void operator()(T* what) const noexcept {
    Free(what);
  }
};
template <typename T, auto Free>
using owned = std::unique_ptr<T, freed_by<Free>>;

std::shared_ptr<EVP_PKEY> rsa_key(const std::string& modulus, const std::string& exponent) {
  const auto number = [](const std::string& bytes) {
    return owned<BIGNUM, BN_free>(BN_bin2bn(reinterpret_cast<const unsigned char*>(bytes.data()),
                                            static_cast<int>(bytes.size()), nullptr));
  };
  const auto n = number(modulus), e = number(exponent);
  const owned<OSSL_PARAM_BLD, OSSL_PARAM_BLD_free> builder(OSSL_PARAM_BLD_new());
  if (!n || !e || !builder) return nullptr;
  OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_N, n.get());
  OSSL_PARAM_BLD_push_BN(builder.get(), OSSL_PKEY_PARAM_RSA_E, e.get());
  const owned<OSSL_PARAM, OSSL_PARAM_free> params(OSSL_PARAM_BLD_to_param(builder.get()));
  const owned<EVP_PKEY_CTX, EVP_PKEY_CTX_free> context(
      EVP_PKEY_CTX_new_from_name(nullptr, "RSA", nullptr));
  EVP_PKEY* key = nullptr;
  const bool made = params && context && EVP_PKEY_fromdata_init(context.get()) == 1 &&
                    EVP_PKEY_fromdata(context.get(), &key, EVP_PKEY_PUBLIC_KEY, params.get()) == 1;
  if (!made) return nullptr;
  return {key, EVP_PKEY_free};
}

std::string text_of(const json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

system_clock::time_point time_of(const json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_number_integer()) {
    throw bad_input(std::string("the token has no ") + name);
  }
  // Within what the clock can express, and far beyond any token.
  const auto seconds = std::clamp<std::int64_t>(found->get<std::int64_t>(), 0, 9'000'000'000);
  return system_clock::time_point(std::chrono::seconds(seconds));
}

json part_of(std::string_view encoded) {
  const auto text = base64_decoded(encoded);
  const auto object = text ? foreign_json_or_null(*text, allowed) : json();
  if (!object.is_object()) throw bad_input("the token is no JSON Web Token");
  return object;
}

bool is_googles(const std::string& issuer) {
  return issuer == "https://accounts.google.com" || issuer == "accounts.google.com";
}

}  // namespace

json_web_keys::json_web_keys(std::string_view text) {
  const auto list = parse_foreign_json(text, allowed);
  const auto keys = list.is_object() ? list.find("keys") : list.end();
  if (!list.is_object() || keys == list.end() || !keys->is_array()) {
    throw foreign_json_error("is no list of JSON Web Keys");
  }
  for (const auto& each : *keys) {
    if (!each.is_object() || text_of(each, "kty") != "RSA") continue;
    const auto modulus = base64_decoded(text_of(each, "n"));
    const auto exponent = base64_decoded(text_of(each, "e"));
    const auto id = text_of(each, "kid");
    if (!modulus || !exponent || id.empty() || modulus->size() < 256) continue;
    if (auto key = rsa_key(*modulus, *exponent)) keys_[id] = std::move(key);
  }
}

bool json_web_keys::verifies(const std::string& id, std::string_view text,
                             std::string_view signature) const {
  const auto found = keys_.find(id);
  if (found == keys_.end()) return false;
  const owned<EVP_MD_CTX, EVP_MD_CTX_free> context(EVP_MD_CTX_new());
  const auto bytes = [](std::string_view of) {
    return reinterpret_cast<const unsigned char*>(of.data());
  };
  return context &&
         EVP_DigestVerifyInit(context.get(), nullptr, EVP_sha256(), nullptr, found->second.get()) ==
             1 &&
         EVP_DigestVerify(context.get(), bytes(signature), signature.size(), bytes(text),
                          text.size()) == 1;
}

id_token parse_id_token(std::string_view text) {
  const auto first = text.find('.');
  const auto second = first == std::string_view::npos ? first : text.find('.', first + 1);
  if (text.size() > max_token || second == std::string_view::npos ||
      text.find('.', second + 1) != std::string_view::npos) {
    throw bad_input("the token is no JSON Web Token");
  }
  const auto header = part_of(text.substr(0, first));
  const auto claims = part_of(text.substr(first + 1, second - first - 1));
  const auto signature = base64_decoded(text.substr(second + 1));
  // A token that names its own algorithm must not choose a weaker one.
  if (text_of(header, "alg") != "RS256" || !signature) {
    throw bad_input("the token is not signed with RS256");
  }
  id_token out;
  out.key_id = text_of(header, "kid");
  out.issuer = text_of(claims, "iss");
  out.audience = text_of(claims, "aud");
  out.email = text_of(claims, "email");
  const auto verified = claims.find("email_verified");
  out.email_verified = verified != claims.end() && *verified == true;
  out.expires = time_of(claims, "exp");
  out.issued = time_of(claims, "iat");
  out.text = text.substr(0, second);
  out.signature = *signature;
  return out;
}

std::string refusal_of(const id_token& token, const json_web_keys& keys,
                       const id_token_rules& rules, system_clock::time_point now) {
  if (!keys.has(token.key_id)) return "its key is unknown";
  if (!keys.verifies(token.key_id, token.text, token.signature)) return "its signature is wrong";
  if (!is_googles(token.issuer)) return "it was not issued by Google";
  if (token.audience != rules.audience) return "it is for another audience";
  if (token.email != rules.email || !token.email_verified) return "it is of another account";
  if (token.expires + skew < now) return "it has expired";
  if (token.issued > now + skew) return "it is not valid yet";
  if (token.expires - token.issued > longest_life) return "it is valid for too long";
  return "";
}

}  // namespace rowrunner::http
