#include "enqueue/kinds.hpp"

#include <iostream>
#include <nlohmann/json.hpp>

#include "apps/commands.hpp"
#include "apps/database.hpp"
#include "apps/kinds_repair.hpp"
#include "apps/output.hpp"
#include "common/queries.hpp"
#include "common/text.hpp"

namespace rowrunner {
namespace {

using nlohmann::ordered_json;

void list_kinds(const app_context& context) {
  const auto connection = connect_served(context);
  pqxx::work tx(*connection);
  const auto kinds = read_kinds(tx, dropped_tables::included);
  if (context.json) {
    ordered_json list = ordered_json::array();
    for (const auto& kind : kinds) {
      list.push_back(
          {{"kind", kind.kind},
           {"table", kind.table.empty() ? ordered_json() : ordered_json(kind.table)},
           {"paused", kind.paused},
           {"cancelled_status", kind.cancelled_status},
           {"retention", kind.retention.empty() ? ordered_json() : ordered_json(kind.retention)}});
    }
    std::cout << ordered_json{{"kinds", list}} << '\n';
    return;
  }
  if (kinds.empty()) {
    std::cout
        << "no kinds: attach a table with SELECT rowrunner.attach('my_jobs', kind => 'my_kind')\n";
    return;
  }
  text_table table({{"KIND"}, {"TABLE"}, {"STATE"}, {"RETENTION"}});
  for (const auto& kind : kinds) {
    table.add({kind.kind, kind.table.empty() ? "(dropped)" : kind.table,
               kind.paused ? "paused" : "running",
               kind.retention.empty() ? "for ever" : kind.retention});
  }
  table.print(std::cout);
}

void set_paused(const app_context& context, const std::string& kind, bool paused) {
  check_text("kind", kind);
  const auto connection = connect_served(context);
  pqxx::work tx(*connection);
  const auto changed =
      tx.exec_params(std::string(queries::pause.text), kind, paused ? "true" : "false");
  if (changed.empty()) throw unknown_kind(tx, kind);
  tx.commit();
  if (context.json) {
    std::cout << ordered_json{{"kind", kind}, {"paused", paused}} << '\n';
  } else {
    std::cout << kind
              << (paused ? " is paused: its jobs wait, running ones end\n" : " is running\n");
  }
}

void add_switch(CLI::App& kinds, app_context& context, const std::string& name, bool paused,
                const std::string& description) {
  auto* command = kinds.add_subcommand(name, description);
  auto kind = std::make_shared<std::string>();
  command->add_option("KIND", *kind, "The kind's name")->required();
  command->callback([&context, kind, paused] {
    context.action = [&context, kind, paused] { set_paused(context, *kind, paused); };
  });
}

}  // namespace

void add_kinds_command(CLI::App& app, app_context& context) {
  auto* kinds = app.add_subcommand("kinds", "The kinds of jobs: list, pause, resume, repair");
  kinds->require_subcommand(0, 1);
  kinds->add_subcommand("list", "List the attached kinds")->callback([&context] {
    context.action = [&context] { list_kinds(context); };
  });
  add_switch(*kinds, context, "pause", true, "Start no more jobs of a kind");
  add_switch(*kinds, context, "resume", false, "Start jobs of a kind again");
  add_repair(*kinds, context);
  kinds->footer(
      "Examples:\n"
      "  rowrunner kinds list\n"
      "  rowrunner kinds pause spot_image\n"
      "  rowrunner kinds repair spot_image");
}

}  // namespace rowrunner
