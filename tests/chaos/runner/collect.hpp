#pragma once

#include <string>

#include "chaos/runner/arena.hpp"

namespace rowrunner::chaos {

/// Jobs that have not ended.
std::int64_t jobs_left(pqxx::connection& on);

/// Nothing runs under the name of this worker, and of the jobs that it has lost, if any, another
/// one has begun.
bool is_taken_over(pqxx::connection& on, const std::string& worker);

/// Writes what stands in the database at the end into a file, as run_record.hpp reads it, and looks
/// at the pictures.
void collect(const arena& ground, const std::string& path);

}  // namespace rowrunner::chaos
