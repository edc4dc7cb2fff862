#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "common/offload.hpp"
#include "common/storage/store.hpp"

namespace rowrunner::storage {

/// Stores a file of this machine, whatever its size, in pieces. Throws std::system_error if the
/// file cannot be read; otherwise as store::put_from.
asio::awaitable<void> put_file(store& to, std::string key, std::filesystem::path from,
                               std::string content_type, offload elsewhere);

/// Copies a stored file to this machine, in pieces; false if there is none. The path gets the whole
/// file or stays as it is. Throws std::system_error if it cannot be written; otherwise as
/// store::get_to.
asio::awaitable<bool> get_file(store& from, std::string key, std::filesystem::path to,
                               std::uint64_t max_bytes, offload elsewhere);

}  // namespace rowrunner::storage
