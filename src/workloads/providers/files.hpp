#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <filesystem>
#include <rowrunner/job.hpp>
#include <string>
#include <string_view>

#include "common/environment.hpp"
#include "workloads/providers/error.hpp"
#include "workloads/services.hpp"

namespace rowrunner::providers {

namespace asio = boost::asio;

enum class file_origin { web, data_dir, drive };

/// What a file id names, decided by its form alone: an http or https URL, a file:// URL or
/// local:path below DATA_DIR, or the id of a file on Google Drive. Throws bad_input for what is
/// none of them, with a message that begins with "fileId".
file_origin origin_of(std::string_view file_id);

/// Streams the named file to `out`, of at most `limit` bytes; `out` gets the whole file or stays as
/// it is.
/// - http:// and https:// through the guarded client, with at most three redirects.
/// - file:// and local: inside DATA_DIR (default /data); a link that leads out of it is
///   refused, and so is what lies in the folder of the storage.
/// - Google Drive ids with the service account of DRIVE_SERVICE_ACCOUNT_JSON.
/// Throws provider_error; final for what will not get better.
asio::awaitable<void> fetch_file(workload_services& all, const job_view& self, std::string file_id,
                                 std::filesystem::path out, std::uint64_t limit);

}  // namespace rowrunner::providers
