#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <iostream>

#include "admin/error.hpp"
#include "apps/commands.hpp"
#include "apps/worker_command.hpp"
#include "apps/workloads.hpp"
#include "command/database.hpp"
#include "common/errors.hpp"
#include "common/pg/error.hpp"
#include "common/schema/schema_version.hpp"
#include "common/version.hpp"
#include "program/arguments.hpp"

namespace {

using namespace rowrunner;

constexpr int failure = 1;
constexpr int usage = 2;

int complain(const std::string& message, int code) {
  std::cerr << "rowrunner: " << message << '\n';
  return code;
}

std::string version_text() {
  return "rowrunner " + std::string(version) + " (schema version " +
         std::to_string(binary_schema_version()) +
         (commit.empty() ? "" : ", commit " + std::string(commit)) + ")";
}

void add_common_options(CLI::App& app, command_context& context) {
  app.fallthrough();             // common options may stand behind the command too
  app.require_subcommand(0, 1);  // run() has a better message than CLI11 if there is none
  app.set_version_flag("--version", version_text());
  context.add_flags(app);
  app.add_flag("--json", context.json, "Output for scripts: JSON instead of tables");
  app.footer(
      "Examples:\n"
      "  rowrunner migrate\n"
      "  rowrunner worker\n"
      "  rowrunner jobs list --status failed\n"
      "  rowrunner stats --watch\n"
      "\n"
      "Exit codes: 0 done, 1 failed, 2 wrong usage.");
}

// The first line of CLI11's message; some have the whole help behind it.
std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

int run(int argc, char** argv) {
  auto arguments = take_arguments(argc, argv);
  command_context context{{environment::load(), {}, {}}, false, {}};
  CLI::App app("Rowrunner: a job is a row in your own PostgreSQL table. Rowrunner runs it.",
               "rowrunner");
  add_common_options(app, context);
  add_migrate_command(app, context);
  add_worker_command(app, context);
  add_jobs_command(app, context);
  add_stats_command(app, context);
  add_kinds_command(app, context);
  add_doctor_command(app, context);
  add_serve_command(app, context);
  add_tokens_command(app, context);
  for (const auto& each : workloads()) each.add_commands(app, context);
  try {
    std::reverse(arguments.begin(), arguments.end());  // as CLI11 takes them
    app.parse(std::move(arguments));
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    return complain(first_line(error.what()) + " (see rowrunner --help)", usage);
  }
  if (!context.action) throw usage_error("which command? (see rowrunner --help)");
  try {
    context.action();
  } catch (const pg::query_error& error) {  // of a worker
    const bool denied = error.sqlstate() == "42501";
    return complain(error.what() + (denied ? permission_advice(context) : ""), failure);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  // A child process of a worker or a server; nothing that is read here is for it.
  if (argc == 2 && argv[1] == std::string_view("child-tools")) return child::serve(child_tools());
  try {
    return run(argc, argv);
  } catch (const usage_error& error) {
    return complain(error.what(), usage);
  } catch (const admin::error& error) {
    return complain(error.what(), error.why() == admin::reason::bad_argument ? usage : failure);
  } catch (const std::exception& error) {
    return complain(error.what(), failure);
  }
}
