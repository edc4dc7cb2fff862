#include "apps/worker_command.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "apps/handlers.hpp"
#include "apps/workloads.hpp"
#include "common/errors.hpp"
#include "health/worker_health.hpp"
#include "program/serve.hpp"
#include "program/setting.hpp"

namespace rowrunner {

namespace {

struct command_flags : worker_flags {
  std::vector<std::string> handlers;
  std::optional<int> health_port;
};

/// Which handler serves which kind: what --kind and --handler name, or else every built-in
/// workload. A table that is tried out with --handler does not make this worker run the jobs of
/// all others, too.
std::map<std::string, std::string> handlers_by_kind(const command_flags& flags) {
  std::map<std::string, std::string> chosen;
  for (const auto& text : flags.handlers) {
    const auto equals = text.find('=');
    if (equals == std::string::npos || equals + 1 == text.size()) {
      throw usage_error("--handler needs KIND=HANDLER, not '" + text + "'");
    }
    chosen[text.substr(0, equals)] = text.substr(equals + 1);
  }
  if (flags.kinds.empty() && flags.handlers.empty()) {
    for (const auto& entry : workload_handlers()) chosen.emplace(entry.name, entry.name);
  }
  for (const auto& kind : flags.kind_names()) chosen.emplace(kind, kind);
  return chosen;
}

/// Nothing if no port is given.
std::shared_ptr<worker_health> start_health(const command_flags& flags,
                                            const command_context& context) {
  constexpr number_setting<int> port{"--health-port", "HEALTH_PORT", 0, 65535};
  const auto chosen = given(port, flags.health_port, context.env);
  if (!chosen) return nullptr;
  pg::settings database;
  database.url = context.database_url();
  // A pooler that nobody told of would hand sessions with settings of this one to others.
  database.pooled = true;
  database.system_names_only = true;
  database.answer_timeout = std::chrono::seconds(5);
  database.application_name = "rowrunner health";
  return std::make_shared<worker_health>(*chosen, database, context.make_logger());
}

std::string advice_of(const std::string& component) {
  return "; the tables of the built-in workload " + component +
         " are made by rowrunner migrate, or rowrunner migrate --only " + component +
         "; --kind serves other kinds alone";
}

/// What to do about a built-in kind that is not attached: "migrate --only engine" makes none of
/// their tables.
std::string advice_about(const std::string& kind) {
  for (const auto& each : workloads()) {
    const auto& all = each.handlers;
    if (std::any_of(all.begin(), all.end(), [&](const auto& one) { return one.name == kind; })) {
      return advice_of(std::string(each.database.name));
    }
  }
  return "";
}

void run_command(const command_flags& flags, const command_context& context) {
  const handler_table handlers(context.env);
  program_kinds kinds;
  // The statements of the workloads name their schemas.
  kinds.system_names_only = true;
  for (const auto& entry : workload_handlers()) kinds.known.emplace_back(entry.name);
  for (const auto& [kind, handler] : handlers_by_kind(flags)) {
    const auto same = std::find(kinds.known.begin(), kinds.known.end(), kind);
    if (same == kinds.known.end()) kinds.known.push_back(kind);
    kinds.served.push_back(handlers.find(kind, handler));
  }
  const auto health = start_health(flags, context);
  if (health) kinds.watch = [health](const worker& of) { health->watch(of); };
  const auto companions = start_companions(context);
  try {
    serve(flags, context, kinds);
  } catch (const kind_not_attached& missing) {
    throw std::runtime_error(missing.what() + advice_about(missing.kind));
  }
}

}  // namespace

void add_worker_command(CLI::App& app, command_context& context) {
  auto* command = app.add_subcommand("worker", "Run jobs until it is stopped");
  const auto flags = std::make_shared<command_flags>();
  flags->add_to(*command);
  command->add_option(
      "--handler", flags->handlers,
      "Serve a kind with a built-in handler: KIND=HANDLER (noop ends jobs at once).\n"
      "With it, other kinds are served only if --kind names them");
  command->add_option("--health-port", flags->health_port,
                      "Serve /livez, /readyz, /healthz and /metrics on this port (HEALTH_PORT)");
  command->footer(
      "Examples:\n"
      "  rowrunner worker                          resident, all built-in kinds\n"
      "  rowrunner worker --kind spot_image:4      one kind, four jobs at a time\n"
      "  rowrunner worker --drain                  from cron: run what is due, then exit\n"
      "  rowrunner worker --handler mine=noop      only that kind, each job ends at once\n"
      "SIGTERM or Ctrl-C stops claiming and gives unfinished jobs back after the grace period;\n"
      "a second one gives them back at once.\n"
      "Kinds of your own are run by a program of your own, which rowrunner::run_worker gives the\n"
      "same flags (examples/own_table).");
  command->callback(
      [&context, flags] { context.action = [&context, flags] { run_command(*flags, context); }; });
}

}  // namespace rowrunner
