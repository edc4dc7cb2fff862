#pragma once

#include <CLI/CLI.hpp>

#include "apps/app_context.hpp"

namespace rowrunner {

/// The command `kinds repair`.
void add_repair(CLI::App& kinds, app_context& context);

}  // namespace rowrunner
