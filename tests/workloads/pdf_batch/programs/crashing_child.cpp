// A child process whose libraries crash on every seventh page of a file.
#include <cstdlib>

#include "workloads/pdf/pdf.hpp"

namespace {

using nlohmann::json;

json analyse_or_crash(const json& arguments) {
  if (arguments.at("last").get<int>() % 7 == 0) std::abort();
  for (const auto& each : rowrunner::pdf::tools()) {
    if (each.name == "pdf.analyse") return each.run(arguments);
  }
  return nullptr;
}

}  // namespace

int main() {
  auto tools = rowrunner::pdf::tools();
  for (auto& each : tools) {
    if (each.name == "pdf.analyse") each.run = analyse_or_crash;
  }
  return rowrunner::child::serve(tools);
}
