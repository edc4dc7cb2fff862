#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>

#include "admin/migrator.hpp"
#include "apps/commands.hpp"
#include "apps/workloads.hpp"
#include "command/database.hpp"
#include "command/output.hpp"
#include "common/errors.hpp"
#include "common/schema/schema_version.hpp"
#include "common/text.hpp"

namespace rowrunner {
namespace {

using nlohmann::ordered_json;

struct migrate_options {
  bool status = false;
  bool dry_run = false;
  std::vector<std::string> only;
};

/// The engine comes first, also if it was not named: the others stand on it.
std::vector<component> chosen_components(const std::vector<std::string>& only) {
  auto all = all_components();
  std::string known;
  for (const auto& part : all) known += (known.empty() ? "" : ", ") + std::string(part.name);
  for (const auto& name : only) {
    if (std::none_of(all.begin(), all.end(), [&](const auto& part) { return part.name == name; })) {
      throw usage_error("--only: there is no component '" + printable(name, 60) + "', only " +
                        known);
    }
  }
  if (only.empty()) return all;
  std::erase_if(all, [&](const component& part) {
    return part.name != all.front().name &&
           std::find(only.begin(), only.end(), part.name) == only.end();
  });
  return all;
}

/// What settings ask for needs the tables of all components, so it comes with the last one.
void add_configured(std::vector<component>& components, const environment& env) {
  for (const auto& each : workloads()) {
    const auto chosen = [&](const component& part) { return part.name == each.database.name; };
    if (!each.configured || std::none_of(components.begin(), components.end(), chosen)) continue;
    for (const auto& statement : each.configured(env)) components.back().after.push_back(statement);
  }
}

void print_status(const std::vector<admin::migration_state>& states, bool json) {
  if (json) {
    ordered_json list = ordered_json::array();
    for (const auto& state : states) {
      list.push_back(
          {{"component", state.component},
           {"version", state.version},
           {"name", state.name},
           {"applied_at", state.applied_at ? ordered_json(*state.applied_at) : nullptr}});
    }
    std::cout << ordered_json{{"migrations", list}} << '\n';
    return;
  }
  text_table table(
      {{"COMPONENT"}, {"VERSION", text_table::align::right}, {"MIGRATION"}, {"APPLIED"}});
  for (const auto& state : states) {
    table.add({state.component, std::to_string(state.version), state.name,
               state.applied_at.value_or("pending")});
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

void run_migrate(const command_context& context, const std::vector<component>& components) {
  const auto work = [&](pg::session& session) { return admin::migrate(session, components); };
  const auto result = command_database(context).run(work);
  print_applied(result.applied, result.version, false, context.json);
}

void only_tell(const command_context& context, const std::vector<component>& components,
               bool dry_run) {
  const auto work = [&](pg::session& session) {
    return admin::migration_status(session, components);
  };
  const auto states = command_database(context).run(work);
  if (!dry_run) {
    print_status(states, context.json);
    return;
  }
  std::vector<std::string> pending;
  int version = 0;
  for (const auto& state : states) {
    if (!state.applied_at) {
      pending.push_back(state.component + "/" + state.name);
    } else if (state.component == components.front().name) {
      version = state.version;
    }
  }
  print_applied(pending, version, true, context.json);
}

}  // namespace

void add_migrate_command(CLI::App& app, command_context& context) {
  auto* command = app.add_subcommand("migrate", "Bring the database up to date, all or nothing");
  auto options = std::make_shared<migrate_options>();
  auto* status = command->add_flag("--status", options->status, "Only list the migrations");
  command->add_flag("--dry-run", options->dry_run, "Only say which would run")->excludes(status);
  command
      ->add_option("--only", options->only,
                   "Only this component and the engine; several with commas.\n"
                   "--only engine leaves out the tables of the built-in workloads")
      ->delimiter(',');
  command->footer(
      "Examples:\n"
      "  rowrunner migrate\n"
      "  rowrunner migrate --only engine\n"
      "  rowrunner migrate --status --json");
  command->callback([&context, options] {
    context.needs = permission::owner;
    context.action = [&context, options] {
      auto components = chosen_components(options->only);
      add_configured(components, context.env);
      if (options->status || options->dry_run) {
        only_tell(context, components, options->dry_run);
      } else {
        run_migrate(context, components);
      }
    };
  });
}

}  // namespace rowrunner
