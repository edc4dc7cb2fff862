#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "support/certificate.hpp"

namespace rowrunner::testing {

/// Signs ID tokens as Google does, with a key of its own.
class token_issuer {
 public:
  explicit token_issuer(std::string key_id = "key-1");

  /// {"keys": [...]}, as its JWKS address answers.
  std::string keys() const;
  nlohmann::json key() const;

  /// A token with these claims, signed with RS256.
  std::string sign(const nlohmann::json& claims) const;
  /// The same with a header of one's own.
  std::string sign(const nlohmann::json& header, const nlohmann::json& claims) const;

  /// What Pub/Sub would send now, for this audience and account.
  static nlohmann::json claims(const std::string& audience, const std::string& email);

 private:
  const std::string key_id_;
  const rsa_key pair_;
};

}  // namespace rowrunner::testing
