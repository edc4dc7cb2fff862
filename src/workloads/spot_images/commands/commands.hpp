#pragma once

#include <CLI/CLI.hpp>

#include "command/context.hpp"

namespace rowrunner::spot_images {

void add_plan_command(CLI::App& app, command_context& context);
void add_enqueue_command(CLI::App& app, command_context& context);
void add_gallery_command(CLI::App& app, command_context& context);

inline void add_commands(CLI::App& app, command_context& context) {
  add_plan_command(app, context);
  add_enqueue_command(app, context);
  add_gallery_command(app, context);
}

}  // namespace rowrunner::spot_images
