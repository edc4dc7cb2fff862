#pragma once

#include <CLI/CLI.hpp>

#include "command/context.hpp"

namespace rowrunner {

/// The command `kinds repair`.
void add_repair(CLI::App& kinds, command_context& context);

}  // namespace rowrunner
