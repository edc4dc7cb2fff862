#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "common/child/limits.hpp"

namespace rowrunner::child {

/// True in builds with AddressSanitizer or ThreadSanitizer, which reserve terabytes of addresses.
bool sanitized() noexcept;

/// Resource limits of this process, for its whole life. Returns what the platform did not allow.
std::vector<std::string> limit_resources(const limits& allowed);

/// Gives this request its CPU time: RLIMIT_CPU counts over the life of the process.
void renew_cpu_time(std::chrono::seconds allowed);

/// No file but those that are open, and for reading the system's libraries and fonts and these
/// folders (Landlock). Empty, or why it could not be applied.
std::string limit_files(const std::vector<std::filesystem::path>& readable);

/// No network, no other programs, no other processes, no new privileges (seccomp); without limits
/// on files, none can be opened for writing. Empty, or why it could not be applied.
std::string limit_system_calls(bool refuse_writing);

}  // namespace rowrunner::child
