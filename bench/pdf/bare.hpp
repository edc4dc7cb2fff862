#pragma once

#include <filesystem>

namespace rowrunner::bench {

/// The libraries without children: one process per core, each with its share of the pages, opened
/// and loaded once. Seconds of wall time.
double analyse_bare(const std::filesystem::path& file, int pages, int processes);
double read_bare(const std::filesystem::path& file, int pages, int processes);

}  // namespace rowrunner::bench
