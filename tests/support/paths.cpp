#include "support/paths.hpp"

namespace rowrunner::testing {

std::string source_dir() { return ROWRUNNER_SOURCE_DIR; }
std::string rowrunner_binary() { return ROWRUNNER_BINARY; }
std::string test_worker_binary() { return TEST_WORKER; }
std::string examples_dir() { return EXAMPLES_DIR; }

}  // namespace rowrunner::testing
