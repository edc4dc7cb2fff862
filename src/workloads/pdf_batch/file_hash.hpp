#pragma once

#include <filesystem>
#include <string>

namespace rowrunner::pdf_batch {

/// SHA-256 of a file in hexadecimal digits; blocks. Throws std::system_error if it cannot be read.
std::string sha256_of(const std::filesystem::path& file);

}  // namespace rowrunner::pdf_batch
