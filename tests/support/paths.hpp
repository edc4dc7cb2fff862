#pragma once

#include <string>

namespace rowrunner::testing {

/// Where this checkout and its build are. Only paths.cpp is compiled with them, so that a second
/// checkout finds every other object in the compiler's cache.
std::string source_dir();
std::string rowrunner_binary();
std::string test_worker_binary();
std::string examples_dir();

}  // namespace rowrunner::testing
