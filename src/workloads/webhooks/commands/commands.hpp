#pragma once

#include <CLI/CLI.hpp>

#include "command/context.hpp"

namespace rowrunner::webhooks {

/// rowrunner webhooks: list, show, send-again.
void add_commands(CLI::App& app, command_context& context);

}  // namespace rowrunner::webhooks
