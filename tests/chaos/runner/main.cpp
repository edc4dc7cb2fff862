// The chaos runner: real workers, real faults, and a checker over what was recorded.
//
//   rowrunner-chaos --seed N --seconds S [--faults a,b,...] [--worker BINARY] [--folder DIR]
//   rowrunner-chaos --check DIR
//
// Exit codes: 0 passed, 1 FAILED, 3 inconclusive, 2 wrong usage.

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <random>

#include "chaos/checker/checker.hpp"
#include "chaos/runner/run.hpp"

namespace {

using namespace rowrunner::chaos;

constexpr int failed = 1;
constexpr int usage = 2;
constexpr int inconclusive = 3;

int judge(const std::string& folder, const std::vector<std::string>& secrets) {
  const auto record = read_run(folder, secrets);
  const auto verdict = check(record);
  std::cout << printed(verdict, record.seed) << std::flush;
  if (!verdict.violations.empty()) return failed;
  return verdict.unreached.empty() ? 0 : inconclusive;
}

/// A folder that goes if the run passed, unless it was asked for by name.
int run_and_judge(run_options options, bool keep) {
  if (options.folder.empty()) {
    std::string name = (std::filesystem::temp_directory_path() / "chaosXXXXXX").string();
    options.folder = mkdtemp(name.data());
  }
  const auto secrets = run(options);
  const int code = judge(options.folder, secrets);
  if (code == 0 && !keep) {
    std::filesystem::remove_all(options.folder);
  } else {
    std::cout << "the records are in " << options.folder << "\n";
  }
  return code;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Runs workers through faults and checks what they did.", "rowrunner-chaos");
  run_options options;
  options.seed = std::random_device{}();
  std::string check_folder;
  app.add_option("--seed", options.seed, "What happens is drawn from this (default: by chance)");
  app.add_option("--seconds", options.seconds, "How long there are faults")
      ->check(CLI::Range(5, 86'400));
  app.add_option("--faults", options.faults, "Only these, by name")->delimiter(',');
  app.add_option("--workers", options.workers, "Worker processes")->check(CLI::Range(4, 16));
  app.add_option("--rate", options.jobs_per_second, "Jobs enqueued a second")
      ->check(CLI::Range(1, 10'000));
  app.add_option("--worker", options.worker, "Another worker binary, for every worker");
  app.add_option("--folder", options.folder, "Where the records go; it is kept");
  app.add_option("--check", check_folder, "Check the records of an earlier run");
  bool list = false;
  app.add_flag("--list", list, "Name the faults there are");
  CLI11_PARSE(app, argc, argv);
  try {
    if (list) {
      std::cout << fault_names();
      return 0;
    }
    if (!check_folder.empty()) return judge(check_folder, {});
    return run_and_judge(options, !options.folder.empty());
  } catch (const std::invalid_argument& e) {
    std::cerr << "rowrunner-chaos: " << e.what() << "\n";
    return usage;
  } catch (const std::exception& e) {
    std::cerr << "rowrunner-chaos: " << e.what() << "\n";
    return failed;
  }
}
