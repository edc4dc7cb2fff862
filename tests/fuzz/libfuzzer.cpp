// libFuzzer's side: FUZZ_PARSER names the parser.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "parsers.hpp"

namespace {

rowrunner::fuzz::parser chosen() {
  const char* name = std::getenv("FUZZ_PARSER");
  for (const auto& each : rowrunner::fuzz::parsers) {
    if (name != nullptr && each.name == name) return each;
  }
  std::fprintf(stderr, "FUZZ_PARSER must name one of:");
  for (const auto& each : rowrunner::fuzz::parsers) std::fprintf(stderr, " %s", each.name.data());
  std::fprintf(stderr, "\n");
  std::exit(2);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto parser = chosen();
  parser.run({reinterpret_cast<const char*>(data), size});
  return 0;
}
