// seeds FOLDER: every seed through its parser, also cut off at every byte and with each byte
// broken. What must hold is the same as under libFuzzer, with the compiler of the build.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "parsers.hpp"

namespace {

namespace fs = std::filesystem;
using rowrunner::fuzz::parser;

std::string read(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void run_seed(const parser& with, const std::string& seed) {
  with.run(seed);
  for (std::size_t n = 0; n < seed.size(); ++n) {
    with.run(std::string_view(seed).substr(0, n));
    for (const char broken : {'\0', '\n', '%', '\xff', '9'}) {
      auto other = seed;
      other[n] = broken;
      with.run(other);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  for (const auto& each : rowrunner::fuzz::parsers) {
    int seeds = 0;
    for (const auto& file : fs::directory_iterator(fs::path(argv[1]) / each.name)) {
      run_seed(each, read(file.path()));
      ++seeds;
    }
    std::printf("%s: %d seeds\n", each.name.data(), seeds);
    rowrunner::fuzz::require(seeds > 2, "a parser has seeds");
  }
}
