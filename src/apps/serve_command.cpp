#include "api/serve.hpp"
#include "apps/commands.hpp"
#include "apps/workloads.hpp"
#include "program/setting.hpp"

namespace rowrunner {
namespace {

struct serve_flags {
  std::optional<std::string> host;
  std::optional<int> port;
  std::optional<double> grace;
  bool pooled = false;
};

void run_serve(const command_context& context, const serve_flags& flags) {
  constexpr number_setting<int> port{"--port", "PORT", 0, 65535};
  constexpr number_setting<double> grace{"--grace", "SHUTDOWN_GRACE", 0, 86'400};
  api::serve_options options;
  options.database_url = context.database_url();
  options.host = flags.host.value_or(options.host);
  options.port = given(port, flags.port, context.env).value_or(options.port);
  options.pooled = flags.pooled || context.env.get("ROWRUNNER_POOLED").value_or("") == "1";
  if (const auto set = given(grace, flags.grace, context.env)) {
    options.limits.grace = seconds(*set);
  }
  options.more_routes = [&context](const boost::asio::any_io_executor& executor) {
    return workload_routes(executor, context.env);
  };
  const auto companions = start_companions(context);
  api::serve(options, context.make_logger());
}

}  // namespace

void add_serve_command(CLI::App& app, command_context& context) {
  auto* command = app.add_subcommand("serve", "Serve the HTTP API until it is stopped");
  auto flags = std::make_shared<serve_flags>();
  command->add_option("--host", flags->host, "The address to listen on (default 127.0.0.1)");
  command->add_option("--port", flags->port,
                      "The port to listen on (PORT, default 8080); 0 takes a free one");
  command->add_option("--grace", flags->grace,
                      "Seconds that running requests have after SIGTERM (SHUTDOWN_GRACE, default "
                      "8)");
  command->add_flag("--pooled", flags->pooled,
                    "Behind a transaction-mode pooler such as PgBouncer (ROWRUNNER_POOLED=1)");
  command->footer(
      "Without a token only this machine is served. SIGTERM or Ctrl-C takes no new requests; a\n"
      "second one ends at once.\n"
      "\n"
      "Examples:\n"
      "  rowrunner serve\n"
      "  rowrunner tokens add --user ann --role admin\n"
      "  rowrunner serve --host 0.0.0.0 --port 8080");
  command->callback(
      [&context, flags] { context.action = [&context, flags] { run_serve(context, *flags); }; });
}

}  // namespace rowrunner
