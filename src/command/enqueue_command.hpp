#pragma once

#include <CLI/CLI.hpp>

namespace rowrunner {

/// The command `enqueue`, under which each workload adds a subcommand. Made by the first one.
CLI::App& enqueue_command(CLI::App& app);

}  // namespace rowrunner
