#pragma once

#include <CLI/CLI.hpp>

#include "command/context.hpp"

namespace rowrunner::scoring {

/// `rowrunner scoring …`
void add_commands(CLI::App& app, command_context& context);

void add_run_command(CLI::App& scoring, command_context& context);
void add_show_commands(CLI::App& scoring, command_context& context);
void add_resume_commands(CLI::App& scoring, command_context& context);

}  // namespace rowrunner::scoring
