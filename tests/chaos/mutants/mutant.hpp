#pragma once

#include <chrono>
#include <string_view>

namespace rowrunner {

/// Whether the environment variable ROWRUNNER_MUTANT names this one. A name that is none of them
/// ends the process: a run that changed nothing must not pass for a mutant that lives.
bool mutant(std::string_view name);

/// The time by this process's own clock if the mutant worker_clock_for_expiry asks for it, else 0.
std::chrono::milliseconds worker_clock();

}  // namespace rowrunner
