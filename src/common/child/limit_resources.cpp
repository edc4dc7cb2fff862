#include <malloc.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

#include "common/child/confinement.hpp"

namespace rowrunner::child {
namespace {

void set_limit(__rlimit_resource which, const char* name, rlim_t value,
               std::vector<std::string>& missing) {
  rlimit now{};
  ::getrlimit(which, &now);
  const auto most = std::min(value, now.rlim_max);
  const rlimit wanted{most, most};
  if (::setrlimit(which, &wanted) != 0) {
    missing.push_back(std::string(name) + ": " + std::generic_category().message(errno));
  }
}

/// If the machine runs out of memory, the kernel should end a child before the worker.
void offer_to_the_oom_killer() {
  if (auto* file = std::fopen("/proc/self/oom_score_adj", "we")) {
    std::fputs("1000", file);
    std::fclose(file);
  }
}

}  // namespace

bool sanitized() noexcept {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  return true;
#else
  return false;
#endif
}

std::vector<std::string> limit_resources(const limits& allowed) {
  std::vector<std::string> missing;
  offer_to_the_oom_killer();
  ::mallopt(M_ARENA_MAX, 1);
  if (sanitized()) {
    missing.emplace_back("memory (RLIMIT_AS): not with a sanitizer");
  } else {
    set_limit(RLIMIT_AS, "memory (RLIMIT_AS)", allowed.memory_bytes, missing);
    ::prctl(PR_SET_DUMPABLE, 0);
  }
  set_limit(RLIMIT_FSIZE, "size of files (RLIMIT_FSIZE)", allowed.file_bytes, missing);
  set_limit(RLIMIT_CORE, "core files (RLIMIT_CORE)", 0, missing);
  set_limit(RLIMIT_NOFILE, "open files (RLIMIT_NOFILE)", 64, missing);
  return missing;
}

void renew_cpu_time(std::chrono::seconds allowed) {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  const auto so_far = used.ru_utime.tv_sec + used.ru_stime.tv_sec + 1;
  const auto until = static_cast<rlim_t>(so_far + allowed.count());
  static rlim_t given = 0;
  if (until == std::exchange(given, until)) return;
  rlimit cpu{};
  ::getrlimit(RLIMIT_CPU, &cpu);
  cpu.rlim_cur = std::min(until, cpu.rlim_max);
  ::setrlimit(RLIMIT_CPU, &cpu);
}

}  // namespace rowrunner::child
