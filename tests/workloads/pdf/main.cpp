#include <gtest/gtest.h>

#include <cstdlib>
#include <string_view>
#include <vector>

#include "workloads/pdf/output_file.hpp"
#include "workloads/pdf/pdf.hpp"

namespace {

/// Writes a result, and half of one before it crashes in a child that has served before.
nlohmann::json crash_while_writing(const nlohmann::json& arguments) {
  static bool served_before = false;
  const auto file = rowrunner::pdf::output_to(arguments.at("files").at(0).get<int>());
  std::fputs(served_before ? "half of it" : "whole", file.get());
  rowrunner::pdf::finish(file);
  if (served_before) std::abort();
  served_before = true;
  return nullptr;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && argv[1] == std::string_view("child-tools")) {
    const auto own = rowrunner::pdf::tools();
    std::vector<rowrunner::child::tool> all(own.begin(), own.end());
    all.push_back({"crash_while_writing", crash_while_writing});
    return rowrunner::child::serve(all);
  }
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
