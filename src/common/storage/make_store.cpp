#include "common/storage/make_store.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string>
#include <utility>

#include "common/errors.hpp"
#include "common/http/address_policy.hpp"
#include "common/http/error.hpp"
#include "common/http/url.hpp"
#include "common/storage/gcs_store.hpp"

namespace rowrunner::storage {
namespace {

struct server {
  std::string base_url;
  std::string variable;
  bool emulated = false;
};

std::string checked_url(std::string text, const std::string& variable) {
  while (text.ends_with('/')) text.pop_back();
  try {
    http::parse_url(text);
  } catch (const http::error& why) {
    throw usage_error(variable + ": " + why.what());
  }
  return text;
}

std::optional<server> other_server(const environment& settings) {
  const std::string base = "GCS_BASE_URL";
  if (const auto url = settings.get(base)) return server{checked_url(*url, base), base};
  const std::string emulator = "STORAGE_EMULATOR_HOST";
  auto host = settings.get(emulator);
  if (!host) return std::nullopt;
  // Other tools take it with and without a scheme.
  if (host->find("://") == std::string::npos) host = "http://" + *host;
  return server{checked_url(*host, emulator), emulator, true};
}

std::unique_ptr<store> make_gcs_store(const environment& settings, http::client& http) {
  const auto bucket = settings.get("GCS_BUCKET_NAME");
  if (!bucket) throw usage_error("GCS_BUCKET_NAME: is needed for STORAGE_TYPE=GCP");
  gcs_options options(*bucket);
  const auto other = other_server(settings);
  if (other) options.base_url = other->base_url;
  const bool has_key = settings.get("GOOGLE_APPLICATION_CREDENTIALS").has_value();
  http::google_credentials credentials = http::no_credentials{};
  if (!other || !other->emulated || has_key) {
    if (other) http::check_private(http::parse_url(other->base_url).server, other->variable);
    credentials = http::google_credentials_from(settings);
  }
  return std::make_unique<gcs_store>(http, std::move(credentials), std::move(options));
}

/// LOCAL, or else GCP.
bool is_local(const environment& settings) {
  const std::string given = settings.get("STORAGE_TYPE").value_or("LOCAL");
  std::string type = given;
  std::transform(type.begin(), type.end(), type.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  if (type != "LOCAL" && type != "GCP") {
    throw usage_error("STORAGE_TYPE: " + given + " is not known; it is LOCAL or GCP");
  }
  return type == "LOCAL";
}

std::string root_of(const environment& settings) {
  return settings.get("LOCAL_STORAGE_PATH").value_or("./local_storage");
}

}  // namespace

std::unique_ptr<store> make_store(const environment& settings, http::client& http,
                                  offload elsewhere) {
  if (!is_local(settings)) return make_gcs_store(settings, http);
  return std::make_unique<local_store>(root_of(settings), std::move(elsewhere));
}

std::optional<std::filesystem::path> local_folder(const environment& settings) {
  if (!is_local(settings)) return std::nullopt;
  return std::filesystem::weakly_canonical(std::filesystem::absolute(root_of(settings)));
}

}  // namespace rowrunner::storage
