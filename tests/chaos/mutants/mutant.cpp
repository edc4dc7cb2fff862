#include "chaos/mutants/mutant.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "names.hpp"

namespace rowrunner {

namespace {

std::string_view chosen() {
  const char* text = std::getenv("ROWRUNNER_MUTANT");
  const std::string_view name = text == nullptr ? "" : text;
  if (name.empty() || std::count(std::begin(mutant_names), std::end(mutant_names), name) == 1) {
    return name;
  }
  std::fprintf(stderr, "ROWRUNNER_MUTANT: there is no mutant '%s'. There are:\n", text);
  for (const auto& each : mutant_names) std::fprintf(stderr, "  %s\n", each);
  std::_Exit(2);
}

}  // namespace

bool mutant(std::string_view name) {
  static const std::string_view active = chosen();
  return active == name;
}

std::chrono::milliseconds worker_clock() {
  using std::chrono::milliseconds;
  if (!mutant("worker_clock_for_expiry")) return milliseconds{0};
  return std::chrono::duration_cast<milliseconds>(
      std::chrono::system_clock::now().time_since_epoch());
}

}  // namespace rowrunner
