#pragma once

#include <CLI/CLI.hpp>

#include "command/context.hpp"

namespace rowrunner {

/// Adds `rowrunner worker`, whose callback sets context.action. The context must outlive the app.
void add_worker_command(CLI::App& app, command_context& context);

}  // namespace rowrunner
