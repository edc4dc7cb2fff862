#include "chaos/paths.hpp"

namespace rowrunner::chaos {

std::string fault_proxy_binary() { return FAULT_PROXY; }
std::string chaos_worker_binary() { return CHAOS_WORKER; }
std::string wrong_clock_libraries() { return WRONG_CLOCK; }

}  // namespace rowrunner::chaos
