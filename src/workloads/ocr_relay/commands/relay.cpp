#include <atomic>
#include <csignal>
#include <future>

#include "api/serve.hpp"
#include "common/errors.hpp"
#include "program/serve.hpp"
#include "program/setting.hpp"
#include "workloads/ocr_relay/commands/commands.hpp"
#include "workloads/ocr_relay/reader.hpp"
#include "workloads/ocr_relay/routes.hpp"
#include "workloads/ocr_relay/settings.hpp"
#include "workloads/ocr_relay/summariser.hpp"
#include "workloads/webhooks/deliverer.hpp"

namespace rowrunner::ocr_relay {
namespace {

struct relay_flags {
  std::string host = "0.0.0.0";
  std::optional<int> port;
  worker_flags worker;
};

/// Everything that a relay job needs: the reader, the summary and the deliveries.
program_kinds served_kinds(const environment& env) {
  const auto shared = std::make_shared<std::weak_ptr<workload_services>>();
  program_kinds out;
  out.system_names_only = true;
  for (const auto& entry : {relay_handler(), summary_handler(), webhooks::delivery_handler()}) {
    const auto factory = [make = entry.make, shared, env](services& engine) -> coroutine_handler {
      auto all = shared->lock();
      if (!all) *shared = all = std::make_shared<workload_services>(engine, env);
      return [all, run = make(*all)](job& self) { return run(self); };
    };
    out.known.emplace_back(entry.name);
    out.served.push_back({entry.options, factory});
  }
  return out;
}

api::serve_options server_options(const command_context& context, const relay_flags& flags) {
  constexpr number_setting<int> port{"--port", "PORT", 0, 65535};
  api::serve_options out;
  out.database_url = context.database_url();
  out.host = flags.host;
  out.port = given(port, flags.port, context.env).value_or(5000);
  out.pooled = context.env.get("ROWRUNNER_POOLED").value_or("") == "1";
  out.own_routes = false;
  out.more_routes = [&context](const boost::asio::any_io_executor& executor) {
    auto routes = make_routes(executor, context.env);
    routes.push_back(health_route());
    return routes;
  };
  return out;
}

/// The HTTP API on a thread of its own. It hears SIGTERM as the worker does.
class serving {
 public:
  /// Returns when it listens; throws if it cannot.
  serving(api::serve_options options, std::shared_ptr<logger> log) {
    const auto listens = std::make_shared<std::atomic<bool>>(false);
    options.on_listening = [listens] { *listens = true; };
    over_ = std::async(std::launch::async, [options, log, listens] {
      try {
        api::serve(options, log);
      } catch (...) {
        if (*listens) std::raise(SIGTERM);
        throw;
      }
    });
    while (!*listens) {
      if (over_.wait_for(std::chrono::milliseconds(20)) == std::future_status::ready) over_.get();
    }
  }

  void wait() { over_.get(); }

 private:
  std::future<void> over_;
};

/// One that ends takes the other along.
void run_relay(const command_context& context, const relay_flags& flags) {
  if (!relay_token(context.env)) {
    throw usage_error("RELAY_TOKEN is needed: callers send it as Authorization: Bearer");
  }
  const auto kinds = served_kinds(context.env);
  serving server(server_options(context, flags), context.make_logger());
  std::exception_ptr failure;
  try {
    serve(flags.worker, context, kinds);
  } catch (...) {
    failure = std::current_exception();
    std::raise(SIGTERM);
  }
  server.wait();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace

void add_commands(CLI::App& app, command_context& context) {
  auto* command =
      app.add_subcommand("relay", "The OCR relay: its HTTP API and its worker in one process");
  auto flags = std::make_shared<relay_flags>();
  command->add_option("--host", flags->host, "The address to listen on (default 0.0.0.0)");
  command->add_option("--port", flags->port,
                      "The port to listen on (PORT, default 5000); 0 takes a free one");
  command->footer(
      "Needs RELAY_TOKEN and DATABASE_URL. Without GEMINI_API_KEY pages are read by tesseract on\n"
      "this machine.\n"
      "\n"
      "Example:\n"
      "  RELAY_TOKEN=… rowrunner relay");
  command->callback(
      [&context, flags] { context.action = [&context, flags] { run_relay(context, *flags); }; });
}

}  // namespace rowrunner::ocr_relay
