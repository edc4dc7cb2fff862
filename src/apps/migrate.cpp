#include <iostream>
#include <nlohmann/json.hpp>

#include "apps/commands.hpp"
#include "apps/database.hpp"
#include "apps/migrator.hpp"
#include "apps/output.hpp"
#include "common/schema_version.hpp"

namespace rowrunner {
namespace {

using nlohmann::ordered_json;

struct migrate_options {
  bool status = false;
  bool dry_run = false;
};

void print_status(const std::vector<migration_state>& states, bool json) {
  if (json) {
    ordered_json list = ordered_json::array();
    for (const auto& state : states) {
      list.push_back(
          {{"version", state.version},
           {"name", state.name},
           {"applied_at", state.applied_at ? ordered_json(*state.applied_at) : nullptr}});
    }
    std::cout << ordered_json{{"migrations", list}} << '\n';
    return;
  }
  text_table table({{"VERSION", text_table::align::right}, {"MIGRATION"}, {"APPLIED"}});
  for (const auto& state : states) {
    table.add({std::to_string(state.version), state.name, state.applied_at.value_or("pending")});
  }
  table.print(std::cout);
}

void print_applied(const std::vector<std::string>& names, int version, bool dry_run, bool json) {
  if (json) {
    std::cout << ordered_json{{dry_run ? "would_apply" : "applied", names}, {"version", version}}
              << '\n';
    return;
  }
  for (const auto& name : names) {
    std::cout << (dry_run ? "would apply " : "applied ") << name << '\n';
  }
  if (!names.empty()) {
    if (!dry_run) std::cout << "the schema has version " << version << '\n';
  } else if (version > binary_schema_version()) {
    std::cout << "nothing to do: the schema has version " << version
              << ", which is newer than this binary (" << binary_schema_version()
              << ") and serves it\n";
  } else {
    std::cout << "nothing to do: the schema has version " << version << '\n';
  }
}

void run_migrate(const app_context& context, const migrate_options& options) {
  const auto connection = connect(context);
  if (!options.status && !options.dry_run) {
    const auto result = migrate(*connection, all_migrations());
    print_applied(result.applied, result.version, false, context.json);
    return;
  }
  pqxx::work tx(*connection);
  const auto states = migration_status(tx, all_migrations());
  if (options.status) {
    print_status(states, context.json);
    return;
  }
  std::vector<std::string> pending;
  int version = 0;
  for (const auto& state : states) {
    if (state.applied_at) {
      version = state.version;
    } else {
      pending.push_back(state.name);
    }
  }
  print_applied(pending, version, true, context.json);
}

}  // namespace

void add_migrate_command(CLI::App& app, app_context& context) {
  auto* command = app.add_subcommand("migrate", "Bring the database up to date, all or nothing");
  auto options = std::make_shared<migrate_options>();
  auto* status = command->add_flag("--status", options->status, "Only list the migrations");
  command->add_flag("--dry-run", options->dry_run, "Only say which would run")->excludes(status);
  command->footer(
      "Examples:\n"
      "  rowrunner migrate\n"
      "  rowrunner migrate --status --json");
  command->callback([&context, options] {
    context.action = [&context, options] { run_migrate(context, *options); };
  });
}

}  // namespace rowrunner
