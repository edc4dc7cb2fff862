#pragma once

#include <string>

#include "chaos/runner/arena.hpp"

namespace rowrunner::chaos {

/// Jobs that have not ended.
std::int64_t jobs_left(pqxx::connection& on);

/// Writes what stands in the database at the end into a file, as run_record.hpp reads it, and looks
/// at the pictures.
void collect(const arena& ground, const std::string& path);

}  // namespace rowrunner::chaos
