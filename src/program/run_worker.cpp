#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <rowrunner/run_worker.hpp>

#include "common/errors.hpp"
#include "program/arguments.hpp"
#include "program/serve.hpp"

namespace rowrunner {
namespace {

constexpr int failure = 1;
constexpr int usage = 2;

/// All kinds, or those that --kind names.
program_kinds choose(std::vector<handled_kind> kinds, const worker_flags& flags) {
  auto wanted = flags.kind_names();
  program_kinds out;
  std::string known;
  for (auto& kind : kinds) {
    known += (known.empty() ? "" : ", ") + kind.options.kind;
    out.known.push_back(kind.options.kind);
    const auto named = std::erase(wanted, kind.options.kind);
    if (flags.kinds.empty() || named > 0) out.served.push_back(std::move(kind));
  }
  if (!wanted.empty()) {
    throw usage_error("this program has no handler for kind '" + wanted.front() + "': it serves " +
                      known);
  }
  return out;
}

int run(const std::string& name, int argc, char** argv, std::vector<handled_kind> kinds) {
  auto arguments = take_arguments(argc, argv);
  program_context context{environment::load(), {}, {}};
  worker_flags flags;
  CLI::App app("A Rowrunner worker: runs the jobs of its kinds until it is stopped.", name);
  context.add_flags(app);
  flags.add_to(app);
  app.footer(
      "SIGTERM or Ctrl-C stops claiming and gives unfinished jobs back after the grace period;\n"
      "a second one gives them back at once. Exit codes: 0 done, 1 failed, 2 wrong usage.");
  try {
    std::reverse(arguments.begin(), arguments.end());  // as CLI11 takes them
    app.parse(std::move(arguments));
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help
    throw usage_error(std::string(error.what()) + " (see " + name + " --help)");
  }
  serve(flags, context, choose(std::move(kinds), flags));
  return 0;
}

}  // namespace

int run_worker(int argc, char** argv, std::vector<handled_kind> kinds) {
  const std::string name = argc > 0 ? std::filesystem::path(argv[0]).filename().string() : "worker";
  const auto complain = [&](const std::exception& error, int code) {
    std::fprintf(stderr, "%s: %s\n", name.c_str(), error.what());
    return code;
  };
  try {
    return run(name, argc, argv, std::move(kinds));
  } catch (const usage_error& error) {
    return complain(error, usage);
  } catch (const std::exception& error) {
    return complain(error, failure);
  }
}

}  // namespace rowrunner
