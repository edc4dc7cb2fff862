#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <string_view>

struct evp_pkey_st;

namespace rowrunner::http {

/// Public keys of RSA by their id, as a server of JSON Web Keys gives them out.
class json_web_keys {
 public:
  /// Keys of other types are left out. Throws foreign_json_error if it is no such list.
  explicit json_web_keys(std::string_view json);
  json_web_keys() = default;

  bool has(const std::string& id) const { return keys_.contains(id); }
  bool empty() const { return keys_.empty(); }

  /// Whether the key of that id has signed the text with RS256.
  bool verifies(const std::string& id, std::string_view text, std::string_view signature) const;

 private:
  std::map<std::string, std::shared_ptr<evp_pkey_st>> keys_;
};

/// What a caller must be.
struct id_token_rules {
  /// Who the token is for.
  std::string audience;
  /// The account that it was made for.
  std::string email;
};

/// Google's ID token (a JSON Web Token signed with RS256) as it came, not checked yet.
struct id_token {
  std::string key_id;
  std::string issuer;
  std::string audience;
  std::string email;
  bool email_verified = false;
  std::chrono::system_clock::time_point expires;
  std::chrono::system_clock::time_point issued;
  /// The part that is signed, and the signature.
  std::string text;
  std::string signature;
};

/// Throws bad_input if it is no JSON Web Token that is signed with RS256.
id_token parse_id_token(std::string_view text);

/// What is wrong with it; empty if nothing is. The clocks of two machines may differ by a minute.
std::string refusal_of(const id_token& token, const json_web_keys& keys,
                       const id_token_rules& rules, std::chrono::system_clock::time_point now);

}  // namespace rowrunner::http
