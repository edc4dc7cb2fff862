#pragma once

#include <rowrunner/worker.hpp>
#include <string_view>
#include <vector>

#include "api/route.hpp"
#include "common/environment.hpp"
#include "common/schema/component.hpp"

namespace CLI {
class App;
}

namespace rowrunner {

struct command_context;

struct workload_services;

/// A handler that is built into the binary, under the kind that it is made for.
struct handler_entry {
  std::string_view name;
  /// What holds unless a flag or a variable says otherwise, and the columns that it reads.
  kind_options options;
  /// Called once, before the first claim. The services live longer than the handler.
  coroutine_handler (*make)(workload_services& all);
};

/// What a folder of src/workloads brings into the binary.
struct workload {
  component database;
  std::vector<handler_entry> handlers;
  /// Adds its subcommands. The context must outlive the app.
  void (*add_commands)(CLI::App& app, command_context& context);
  /// What it adds to the HTTP server, which runs on this executor.
  std::vector<api::route> (*make_routes)(const boost::asio::any_io_executor& executor,
                                         const environment& env);
};

}  // namespace rowrunner
