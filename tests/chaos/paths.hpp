#pragma once

#include <string>

namespace rowrunner::chaos {

/// What the runner starts. Only paths.cpp is compiled with these, as with support/paths.cpp.
std::string fault_proxy_binary();
std::string chaos_worker_binary();
/// What a worker with a wrong clock preloads; empty under a sanitizer.
std::string wrong_clock_libraries();

}  // namespace rowrunner::chaos
