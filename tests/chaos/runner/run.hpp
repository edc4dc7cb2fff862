#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rowrunner::chaos {

struct run_options {
  std::uint64_t seed = 1;
  int seconds = 30;
  int workers = 6;
  int jobs_per_second = 90;
  /// Names of faults; empty for all.
  std::vector<std::string> faults;
  /// Instead of the shipped binary and the chaos worker.
  std::string worker;
  std::string folder;
};

/// Starts everything, makes faults, heals, drains, and leaves the records in the folder. Gives the
/// secrets that must not stand in any of them.
std::vector<std::string> run(const run_options& options);

/// One line per fault: its number and its name.
std::string fault_names();

}  // namespace rowrunner::chaos
