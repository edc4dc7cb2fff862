#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <variant>

#include "common/environment.hpp"

namespace rowrunner::http {

/// The key of a service account, as the Google console gives it out.
struct service_account {
  std::string client_email;
  std::string private_key_id;
  std::string private_key;  ///< PEM
  std::string token_uri;
};

/// The machine's own account, on Google's machines.
struct metadata_server {
  std::string base_url = "http://metadata.google.internal";
};

/// For stand-ins that ask for nothing.
struct no_credentials {};

using google_credentials = std::variant<service_account, metadata_server, no_credentials>;

/// Throws usage_error that begins with `name` and quotes nothing of the text.
service_account parse_service_account(std::string_view json, const std::string& name);

/// GOOGLE_APPLICATION_CREDENTIALS names the file of a service account; without it the metadata
/// server is asked, at GCE_METADATA_HOST if set. Throws usage_error.
google_credentials google_credentials_from(const environment& settings);

/// The JSON Web Token, signed with RS256, that a service account exchanges for an access token; it
/// is good for an hour. Throws std::runtime_error if the key cannot sign.
std::string signed_assertion(const service_account& account, const std::string& scope,
                             std::chrono::system_clock::time_point now);

}  // namespace rowrunner::http
