#include "program/serve.hpp"

#include <CLI/CLI.hpp>

#include "program/kind_setting.hpp"

namespace rowrunner {
namespace {

constexpr double day = 86'400;
constexpr number_setting<int> concurrency{"--concurrency", "MAX_CONCURRENT", 1, 10'000};
constexpr number_setting<double> timeout{"--timeout", "JOB_TIMEOUT", 0, 30 * day};
constexpr number_setting<double> retry_first{"--retry-first", "RETRY_FIRST", 0, 30 * day};
constexpr number_setting<double> retry_cap{"--retry-cap", "RETRY_CAP", 0, 30 * day};
constexpr number_setting<double> lease{"--lease", "LEASE_SECONDS", 1, day};
constexpr number_setting<double> grace{"--grace", "SHUTDOWN_GRACE", 0, day};
constexpr number_setting<int> connections{"--handler-connections", "HANDLER_CONNECTIONS", 1, 100};
constexpr std::int64_t most_jobs = 1'000'000'000'000;
constexpr double longest_run = 365 * day;

/// "kind:4", taken apart; the number is empty where there is none.
std::pair<std::string, std::string> split_kind(const std::string& text) {
  const auto colon = text.find(':');
  if (colon == std::string::npos) return {text, ""};
  return {text.substr(0, colon), text.substr(colon + 1)};
}

std::optional<int> concurrency_of(const std::string& kind, const worker_flags& flags,
                                  const environment& env) {
  for (const auto& text : flags.kinds) {
    const auto [name, number] = split_kind(text);
    if (name != kind || number.empty()) continue;
    const std::string what = "the concurrency of " + kind;
    return check_number(what, parse_number<int>(what, number), concurrency.least, concurrency.most);
  }
  return given_for(kind, concurrency, flags.concurrency, env);
}

worker_options options_from(const worker_flags& flags, const program_context& context) {
  const auto& env = context.env;
  worker_options options;
  options.database_url = context.database_url();
  options.pooled = flags.pooled || env.get("ROWRUNNER_POOLED").value_or("") == "1";
  options.name = flags.name.value_or(env.get("WORKER_ID").value_or(""));
  if (options.name.empty()) options.name = default_worker_name();
  if (const auto set = given(grace, flags.grace, env)) options.shutdown_grace = seconds(*set);
  if (const auto set = given(connections, flags.handler_connections, env)) {
    options.handler_connections = *set;
  }
  options.vacuum_blocker_alarm = vacuum_blocker_alarm_setting(flags.vacuum_blocker_alarm, env);
  options.drain = flags.drain;
  if (flags.max_jobs) {
    options.max_jobs = check_number<std::int64_t>("--max-jobs", *flags.max_jobs, 1, most_jobs);
  }
  if (flags.max_seconds) {
    options.max_time =
        seconds(check_number("--max-seconds", *flags.max_seconds, 0.001, longest_run));
  }
  return options;
}

kind_options options_of(kind_options options, const worker_flags& flags, const environment& env) {
  const auto& kind = options.kind;
  if (const auto set = concurrency_of(kind, flags, env)) options.max_concurrent = *set;
  if (const auto set = given_for(kind, timeout, flags.timeout, env)) {
    options.timeout = seconds(*set);
  }
  if (const auto set = given_for(kind, retry_first, flags.retry_first, env)) {
    options.retry.first = seconds(*set);
  }
  if (const auto set = given_for(kind, retry_cap, flags.retry_cap, env)) {
    options.retry.cap = seconds(*set);
  }
  if (const auto set = given_for(kind, lease, flags.lease, env)) options.lease = seconds(*set);
  return options;
}

/// A flag is for this program alone, and a kind that it does not know is a mistake. A variable may
/// be another program's, which shares the environment or the .env file.
void check_names(const std::vector<std::string>& kinds, const worker_flags& flags,
                 const environment& env, logger& log) {
  const auto check = [&](const auto& setting, const std::vector<std::string>& values) {
    check_flag_kinds(kinds, setting.flag, values);
    for (const auto& name : variables_of_other_kinds(kinds, setting.variable, env)) {
      log.warn("a variable is for no kind of this program, and is ignored",
               {{"variable", name}, {"known", variables_of(kinds, setting.variable)}});
    }
  };
  check(concurrency, flags.concurrency);
  check(timeout, flags.timeout);
  check(retry_first, flags.retry_first);
  check(retry_cap, flags.retry_cap);
  check(lease, flags.lease);
}

void add(worker& process, const handled_kind& kind, kind_options options) {
  auto handler = kind.make(process.handler_services());
  if (auto* blocking = std::get_if<blocking_handler>(&handler)) {
    process.add_blocking(std::move(options), std::move(*blocking));
  } else {
    process.add(std::move(options), std::move(std::get<coroutine_handler>(handler)));
  }
}

}  // namespace

void worker_flags::add_to(CLI::App& app) {
  app.add_option("--kind", kinds,
                 "A kind to serve, with its own concurrency as KIND:N; others are not\n"
                 "(default: all that it knows)");
  app.add_option("--concurrency", concurrency,
                 "Jobs of a kind at the same time: N, or KIND=N for one kind\n"
                 "(MAX_CONCURRENT, MAX_CONCURRENT_KIND, default 10)");
  app.add_option("--timeout", timeout,
                 "Seconds that a job may run: N, or KIND=N (JOB_TIMEOUT, JOB_TIMEOUT_KIND,\n"
                 "default: no limit)");
  app.add_option("--retry-first", retry_first,
                 "Seconds from a job's first failure to its next attempt; it doubles each time:\n"
                 "N, or KIND=N (RETRY_FIRST, RETRY_FIRST_KIND, default 1)");
  app.add_option("--retry-cap", retry_cap,
                 "The most seconds between two attempts: N, or KIND=N (RETRY_CAP, RETRY_CAP_KIND,\n"
                 "default 300)");
  app.add_option("--lease", lease,
                 "Seconds until a lost worker's jobs run again: N, or KIND=N (LEASE_SECONDS,\n"
                 "LEASE_SECONDS_KIND, default 10)");
  app.add_option("--grace", grace, "Seconds from SIGTERM to the end (SHUTDOWN_GRACE, default 8)");
  app.add_option("--handler-connections", handler_connections,
                 "Connections that all handlers share for statements of their own\n"
                 "(HANDLER_CONNECTIONS, default 2)");
  app.add_option("--vacuum-blocker-alarm", vacuum_blocker_alarm,
                 "Seconds after which the log names sessions that block VACUUM\n"
                 "(VACUUM_BLOCKER_ALARM, default 300, 0 never)");
  app.add_option("--name", name, "The name in locked_by (WORKER_ID)");
  app.add_option("--max-jobs", max_jobs, "Stop after so many jobs");
  app.add_option("--max-seconds", max_seconds, "Stop after so many seconds");
  app.add_flag("--drain", drain, "Stop when nothing is due");
  app.add_flag("--pooled", pooled,
               "Behind a transaction-mode pooler such as PgBouncer (ROWRUNNER_POOLED=1)");
}

std::vector<std::string> worker_flags::kind_names() const {
  std::vector<std::string> out;
  for (const auto& text : kinds) out.push_back(split_kind(text).first);
  return out;
}

void serve(const worker_flags& flags, const program_context& context, const program_kinds& kinds) {
  try {
    auto options = options_from(flags, context);
    const auto log = context.make_logger(options.name);
    check_names(kinds.known, flags, context.env, *log);
    options.system_names_only = kinds.system_names_only;
    worker process(options, log);
    for (const auto& kind : kinds.served)
      add(process, kind, options_of(kind.options, flags, context.env));
    if (kinds.watch) kinds.watch(process);
    process.run();
  } catch (const std::invalid_argument& error) {
    throw usage_error(error.what());
  }
}

}  // namespace rowrunner
