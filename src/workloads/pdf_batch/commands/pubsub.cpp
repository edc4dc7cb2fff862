#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <csignal>

#include "command/database.hpp"
#include "workloads/pdf_batch/commands/commands.hpp"
#include "workloads/pdf_batch/puller.hpp"

namespace rowrunner::pdf_batch {
namespace {

pg::settings settings_of(const command_context& context) {
  pg::settings out;
  out.url = context.database_url();
  // A pooler that nobody told of would hand sessions with settings of this one to others.
  out.pooled = true;
  out.system_names_only = true;
  out.connect_timeout = std::chrono::seconds(5);
  out.answer_timeout = std::chrono::seconds(10);
  out.application_name = "rowrunner pubsub";
  return out;
}

void run_pubsub(const command_context& context, bool drain) {
  auto where = subscription_from(context.env);
  command_database(context).require_served();
  const auto log = context.make_logger();
  boost::asio::io_context io;
  http::client http(io.get_executor());
  subscription from(http, std::move(where));
  pg::session database(io.get_executor(), settings_of(context));
  puller_options options;
  options.drain = drain;
  puller pulling(io.get_executor(), from, database, *log, options);
  boost::asio::signal_set signals(io, SIGTERM, SIGINT);
  signals.async_wait([&](auto error, int) {
    if (!error) pulling.stop();
  });
  std::exception_ptr failure;
  boost::asio::co_spawn(io, pulling.run(), [&](std::exception_ptr thrown) {
    failure = thrown;
    io.stop();
  });
  io.run();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace

void add_pubsub_command(CLI::App& app, command_context& context) {
  auto* command =
      app.add_subcommand("pubsub", "Make jobs of the messages of a Pub/Sub subscription");
  auto drain = std::make_shared<bool>(false);
  command->add_flag("--drain", *drain, "Return when no message waits");
  command->footer(
      "PUBSUB_SUBSCRIPTION is a name or a full path, GCP_PROJECT_ID the project of a name;\n"
      "PUBSUB_EMULATOR_HOST is asked instead of Google. A message is acknowledged when its job is\n"
      "committed. Any number of these may run.\n"
      "\n"
      "Example:\n"
      "  PUBSUB_EMULATOR_HOST=localhost:8085 GCP_PROJECT_ID=local-dev rowrunner pubsub");
  command->callback(
      [&context, drain] { context.action = [&context, drain] { run_pubsub(context, *drain); }; });
}

}  // namespace rowrunner::pdf_batch
