#pragma once

#include <CLI/CLI.hpp>

#include "command/context.hpp"

namespace rowrunner::pdf_batch {

void add_enqueue_command(CLI::App& app, command_context& context);
void add_pubsub_command(CLI::App& app, command_context& context);

inline void add_commands(CLI::App& app, command_context& context) {
  add_enqueue_command(app, context);
  add_pubsub_command(app, context);
}

}  // namespace rowrunner::pdf_batch
