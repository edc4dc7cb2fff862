#pragma once

#include <CLI/CLI.hpp>

#include "command/context.hpp"

namespace rowrunner::ocr_relay {

/// rowrunner relay: server and worker in one process.
void add_commands(CLI::App& app, command_context& context);

}  // namespace rowrunner::ocr_relay
