#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "common/environment.hpp"
#include "common/http/client.hpp"
#include "common/storage/local_store.hpp"
#include "common/storage/store.hpp"

namespace rowrunner::storage {

/// The storage that the environment names. Throws usage_error, naming the variable.
///
/// STORAGE_TYPE=LOCAL, the default: LOCAL_STORAGE_PATH, ./local_storage if unset.
/// STORAGE_TYPE=GCP: GCS_BUCKET_NAME; GCS_BASE_URL or STORAGE_EMULATOR_HOST for another server than
/// Google's; credentials as in google_credentials_from(), but none are needed for an emulator. A
/// server that gets credentials over plain http must be on this machine.
///
/// The client must live longer than the store.
std::unique_ptr<store> make_store(const environment& settings, http::client& http,
                                  offload elsewhere = run_inline);

/// The folder of STORAGE_TYPE=LOCAL, as an absolute path without links; nothing for other types.
std::optional<std::filesystem::path> local_folder(const environment& settings);

}  // namespace rowrunner::storage
