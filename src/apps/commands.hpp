#pragma once

#include <CLI/CLI.hpp>

#include "command/context.hpp"

namespace rowrunner {

/// Each adds a subcommand whose callback sets context.action. The context must outlive the app.
void add_migrate_command(CLI::App& app, command_context& context);
void add_jobs_command(CLI::App& app, command_context& context);
void add_stats_command(CLI::App& app, command_context& context);
void add_kinds_command(CLI::App& app, command_context& context);
void add_doctor_command(CLI::App& app, command_context& context);
void add_serve_command(CLI::App& app, command_context& context);
void add_tokens_command(CLI::App& app, command_context& context);

}  // namespace rowrunner
