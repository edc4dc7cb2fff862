#pragma once

#include <rowrunner/worker.hpp>
#include <string_view>
#include <vector>

#include "common/environment.hpp"
#include "common/schema/component.hpp"

namespace CLI {
class App;
}

namespace rowrunner {

struct command_context;

/// A handler that is built into the binary, under the kind that it is made for.
struct handler_entry {
  std::string_view name;
  void (*add)(worker& process, kind_options options, const worker_options& about,
              const environment& env);
};

/// What a folder of src/workloads brings into the binary.
struct workload {
  component database;
  std::vector<handler_entry> handlers;
  /// Adds its subcommands. The context must outlive the app.
  void (*add_commands)(CLI::App& app, command_context& context);
};

}  // namespace rowrunner
