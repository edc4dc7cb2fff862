#include "workloads/scoring/commands/commands.hpp"

namespace rowrunner::scoring {

void add_commands(CLI::App& app, command_context& context) {
  auto* scoring = app.add_subcommand("scoring", "Score a sheet of utterances with a model");
  scoring->require_subcommand(0, 1);
  scoring->footer(
      "Examples:\n"
      "  rowrunner scoring run --sheet examples/scoring/utterances.csv \\\n"
      "      --categories examples/scoring/categories.json --out scored.csv\n"
      "  rowrunner scoring chunks RUN");
  add_run_command(*scoring, context);
  add_show_commands(*scoring, context);
  add_resume_commands(*scoring, context);
}

}  // namespace rowrunner::scoring
