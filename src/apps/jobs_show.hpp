#pragma once

#include <string>

#include "command/context.hpp"

namespace rowrunner {

/// Prints a job: its row, why it waits, its steps, progress and attempts.
void show_job(const command_context& context, const std::string& id);

}  // namespace rowrunner
