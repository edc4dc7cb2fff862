#include "command/enqueue_command.hpp"

namespace rowrunner {

CLI::App& enqueue_command(CLI::App& app) {
  const auto made =
      app.get_subcommands([](const CLI::App* each) { return each->get_name() == "enqueue"; });
  if (!made.empty()) return *made.front();
  auto* const command = app.add_subcommand("enqueue", "Enqueue jobs of the built-in workloads");
  command->require_subcommand(0, 1);
  return *command;
}

}  // namespace rowrunner
