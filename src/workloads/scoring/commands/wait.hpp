#pragma once

#include <optional>
#include <string>

#include "command/context.hpp"
#include "workloads/scoring/run_status.hpp"

namespace rowrunner::scoring {

/// Waits until the run has ended, with a progress bar on a terminal, and works itself if
/// `with_worker`. Nothing if a signal came first.
std::optional<run_status> wait_for_run(const command_context& context, const std::string& name,
                                       bool with_worker);

/// Writes the CSV file.
void write_export(const command_context& context, const std::string& name, const std::string& file);

/// Prints how the run ended, or how far it is. Throws std::runtime_error if it has failed.
void print_status(const command_context& context, const run_status& of);

/// Throws bad_input if there is no such run.
[[noreturn]] void refuse_run(const std::string& name);

}  // namespace rowrunner::scoring
