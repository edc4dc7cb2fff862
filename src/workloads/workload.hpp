#pragma once

#include <memory>
#include <rowrunner/worker.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "api/route.hpp"
#include "common/child/tool.hpp"
#include "common/environment.hpp"
#include "common/log.hpp"
#include "common/pg/query.hpp"
#include "common/schema/component.hpp"
#include "workloads/projection.hpp"

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

/// What runs beside a worker or a server of a process gets.
struct companion_context {
  std::string database_url;
  const environment& env;
  std::shared_ptr<logger> log;
  /// Of all workloads.
  std::vector<status_projection> statuses;
  std::vector<queue_projection> queues;
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
  /// What it runs in child processes; those of several workloads may have the same.
  std::vector<child::tool> child_tools = {};
  /// How the mirror shows its jobs in Redis.
  std::vector<status_projection> statuses{};
  std::vector<queue_projection> queues{};
  /// Starts what runs beside every worker and server, in threads of its own, until the answer is
  /// destroyed; null if the settings ask for nothing. Throws usage_error.
  std::shared_ptr<void> (*start_companion)(const companion_context& context) = nullptr;
  /// What migrate runs besides, when all tables are there, because of settings.
  std::vector<query> (*configured)(const environment& env) = nullptr;
};

}  // namespace rowrunner
