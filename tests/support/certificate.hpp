#pragma once

#include <string>
#include <vector>

namespace rowrunner::testing {

/// A certificate that signs itself, made for one test.
struct certificate {
  std::string certificate_pem;
  std::string private_key_pem;
};

/// For the given host names and addresses ("DNS:localhost", "IP:127.0.0.1").
certificate make_certificate(const std::vector<std::string>& names);

struct rsa_key {
  std::string private_pem;
  std::string public_pem;
};

rsa_key make_rsa_key();

/// Whether `signature` is the RS256 signature of `text`.
bool verify_rs256(const std::string& public_pem, const std::string& text,
                  const std::string& signature);

/// The bytes of a part of a JSON Web Token.
std::string decode_base64_url(std::string text);

}  // namespace rowrunner::testing
