#include "apps/kinds_repair.hpp"

#include <iostream>
#include <nlohmann/json.hpp>

#include "admin/transaction.hpp"
#include "command/database.hpp"
#include "common/pg/exec.hpp"
#include "common/text.hpp"
#include "enqueue/kinds.hpp"
#include "queries/admin.hpp"

namespace rowrunner {
namespace {

using nlohmann::ordered_json;

void repair(const command_context& context, const std::string& kind) {
  check_text("kind", kind);
  const auto connection = connect_served(context);
  pqxx::work tx(*connection);
  use_system_names(tx);
  const auto answer = pg::exec(tx, queries::repair, kind);
  tx.commit();
  ordered_json report{{"kind", kind}};
  for (const auto& field : answer[0]) {
    report[field.name()] = ordered_json::parse(field.as<std::string>());
  }
  if (context.json) {
    std::cout << report << '\n';
    return;
  }
  std::cout << kind << ": added " << report["queued"] << " queued, " << report["delayed"]
            << " delayed, " << report["failed"] << " failed, " << report["lost"]
            << " lost; removed " << report["removed"] << " stale entries\n";
  for (const auto& problem : report["problems"]) {
    std::cout << "not repaired: " << problem.get<std::string>() << '\n';
  }
}

}  // namespace

void add_repair(CLI::App& kinds, command_context& context) {
  auto* command = kinds.add_subcommand(
      "repair", "Give every job its entry again, after a restore with triggers disabled");
  auto kind = std::make_shared<std::string>();
  command->add_option("KIND", *kind, "The kind's name")->required();
  command->callback(
      [&context, kind] { context.action = [&context, kind] { repair(context, *kind); }; });
}

}  // namespace rowrunner
