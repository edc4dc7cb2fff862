#include "apps/worker_command.hpp"

#include <map>
#include <rowrunner/worker.hpp>
#include <string>
#include <vector>

#include "apps/handlers.hpp"
#include "apps/setting.hpp"
#include "common/errors.hpp"

namespace rowrunner {

namespace {

/// The flags as they were given; what is absent comes from the environment, then from the defaults.
struct worker_flags {
  std::vector<std::string> kinds;
  std::vector<std::string> handlers;
  std::optional<int> concurrency;
  std::optional<double> timeout;
  std::optional<double> lease;
  std::optional<double> grace;
  std::optional<double> horizon_alarm;
  std::optional<std::string> name;
  std::int64_t max_jobs = 0;
  double max_seconds = 0;
  bool drain = false;
  bool pooled = false;
};

/// "name=value" or "name:value".
std::pair<std::string, std::string> split(const std::string& text, char at) {
  const auto found = text.find(at);
  if (found == std::string::npos) return {text, ""};
  return {text.substr(0, found), text.substr(found + 1)};
}

/// Which handler serves which kind: every built-in workload, unless --kind names some of them, and
/// what --handler adds.
std::map<std::string, std::string> handlers_by_kind(const worker_flags& flags) {
  std::map<std::string, std::string> chosen;
  for (const auto& text : flags.handlers) {
    const auto [kind, handler] = split(text, '=');
    if (handler.empty()) throw usage_error("--handler needs KIND=HANDLER, not '" + text + "'");
    chosen[kind] = handler;
  }
  if (flags.kinds.empty() && flags.handlers.empty()) {
    for (const auto& entry : workload_handlers()) chosen.emplace(entry.name, entry.name);
  }
  for (const auto& text : flags.kinds) {
    const auto kind = split(text, ':').first;
    chosen.emplace(kind, kind);
  }
  return chosen;
}

int concurrency_of(const std::string& kind, const worker_flags& flags, const environment& env) {
  for (const auto& text : flags.kinds) {
    const auto [name, number] = split(text, ':');
    if (name == kind && !number.empty())
      return parse_number<int>("the concurrency of " + kind, number);
  }
  return setting(flags.concurrency, env, "MAX_CONCURRENT", 10);
}

worker_options options_from(const worker_flags& flags, const app_context& context) {
  const auto& env = context.env;
  worker_options options;
  options.database_url = context.database_url();
  options.pooled = flags.pooled || env.get("ROWRUNNER_POOLED").value_or("") == "1";
  options.name = flags.name.value_or(env.get("WORKER_ID").value_or(""));
  if (options.name.empty()) options.name = default_worker_name();
  options.lease = seconds(setting(flags.lease, env, "LEASE_SECONDS", 10.0));
  options.shutdown_grace = seconds(setting(flags.grace, env, "SHUTDOWN_GRACE", 8.0));
  options.horizon_alarm = horizon_alarm_setting(flags.horizon_alarm, env);
  options.drain = flags.drain;
  options.max_jobs = flags.max_jobs;
  options.max_time = seconds(flags.max_seconds);
  return options;
}

void run_worker(const worker_flags& flags, const app_context& context) {
  const auto chosen = handlers_by_kind(flags);
  if (chosen.empty()) {
    throw usage_error("no kind to serve: give --kind or --handler KIND=HANDLER");
  }
  try {
    const auto options = options_from(flags, context);
    const auto log = context.make_logger(options.name);
    worker process(options, log);
    for (const auto& [kind, handler] : chosen) {
      kind_options serve;
      serve.kind = kind;
      serve.max_concurrent = concurrency_of(kind, flags, context.env);
      serve.timeout = seconds(setting(flags.timeout, context.env, "JOB_TIMEOUT", 0.0));
      add_handler(process, handler, std::move(serve), options, context.env);
    }
    process.run();
  } catch (const std::invalid_argument& e) {
    throw usage_error(e.what());
  }
}

}  // namespace

void add_worker_command(CLI::App& app, app_context& context) {
  auto* command = app.add_subcommand("worker", "Run jobs until it is stopped");
  const auto flags = std::make_shared<worker_flags>();
  command->add_option(
      "--kind", flags->kinds,
      "A kind to serve, with its own concurrency as KIND:N (default: all built-in)");
  command->add_option(
      "--handler", flags->handlers,
      "Serve a kind with a built-in handler: KIND=HANDLER (noop ends jobs at once)");
  command->add_option("--concurrency", flags->concurrency,
                      "Jobs of a kind at the same time (MAX_CONCURRENT, default 10)");
  command->add_option("--timeout", flags->timeout,
                      "Seconds that a job may run (JOB_TIMEOUT, default: no limit)");
  command->add_option("--lease", flags->lease,
                      "Seconds until a lost worker's jobs run again (LEASE_SECONDS, default 10)");
  command->add_option("--grace", flags->grace,
                      "Seconds from SIGTERM to the end (SHUTDOWN_GRACE, default 8)");
  command->add_option("--horizon-alarm", flags->horizon_alarm,
                      "Seconds after which the log names who keeps dead rows from being removed\n"
                      "(HORIZON_ALARM, default 300, 0 never)");
  command->add_option("--name", flags->name, "The name in locked_by (WORKER_ID)");
  command->add_option("--max-jobs", flags->max_jobs, "Stop after so many jobs")
      ->check(CLI::PositiveNumber);
  command->add_option("--max-seconds", flags->max_seconds, "Stop after so many seconds")
      ->check(CLI::PositiveNumber);
  command->add_flag("--drain", flags->drain, "Stop when nothing is due");
  command->add_flag("--pooled", flags->pooled,
                    "Behind a transaction-mode pooler such as PgBouncer (ROWRUNNER_POOLED=1)");
  command->footer(
      "Examples:\n"
      "  rowrunner worker                          resident, all built-in kinds\n"
      "  rowrunner worker --kind spot_image:4      one kind, four jobs at a time\n"
      "  rowrunner worker --drain                  from cron: run what is due, then exit\n"
      "SIGTERM or Ctrl-C stops claiming and gives unfinished jobs back after the grace period;\n"
      "a second one gives them back at once.");
  command->callback(
      [&context, flags] { context.action = [&context, flags] { run_worker(*flags, context); }; });
}

}  // namespace rowrunner
