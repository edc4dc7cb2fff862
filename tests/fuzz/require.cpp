#include <cstdio>
#include <cstdlib>

#include "parsers.hpp"

namespace rowrunner::fuzz {

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "this does not hold: %s\n", what);
  std::abort();
}

}  // namespace rowrunner::fuzz
