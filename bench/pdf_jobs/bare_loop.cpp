// The same calls of qpdf and poppler as a worker's children make, in a bare loop: one process a
// core, files shared out beforehand. Prints pages, seconds and pages a second.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "workloads/pdf/tools.hpp"

namespace {

int analyse(const char* file) {
  const int opened = ::open(file, O_RDONLY | O_CLOEXEC);
  if (opened < 0) return -1;
  nlohmann::json arguments{{"files", {opened}}};
  const int pages = rowrunner::pdf::count_tool(arguments).get<int>();
  for (int page = 1; page <= pages; ++page) {
    arguments["first"] = arguments["last"] = page;
    rowrunner::pdf::analyse_tool(arguments);
  }
  ::close(opened);
  return pages;
}

int share(char** files, int count, int first, int step) {
  int pages = 0;
  for (int i = first; i < count; i += step) pages += analyse(files[i]);
  return pages;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: pdf_bare_loop PROCESSES FILE...\n");
    return 2;
  }
  const int processes = std::atoi(argv[1]);
  const auto begun = std::chrono::steady_clock::now();
  std::vector<int> counts;
  for (int i = 0; i < processes; ++i) {
    int ends[2];
    if (::pipe(ends) != 0) return 1;
    if (::fork() == 0) {
      const int pages = share(argv + 2, argc - 2, i, processes);
      _exit(::write(ends[1], &pages, sizeof pages) == sizeof pages ? 0 : 1);
    }
    ::close(ends[1]);
    counts.push_back(ends[0]);
  }
  int total = 0;
  for (const int from : counts) {
    int pages = 0;
    if (::read(from, &pages, sizeof pages) != sizeof pages) return 1;
    total += pages;
  }
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun;
  while (::wait(nullptr) > 0) {
  }
  std::printf("{\"pages\": %d, \"seconds\": %.3f, \"pages_a_second\": %.1f}\n", total, took.count(),
              total / took.count());
}
