#include "enqueue/kinds.hpp"

#include <iostream>
#include <map>
#include <nlohmann/json.hpp>

#include "admin/transaction.hpp"
#include "apps/commands.hpp"
#include "apps/kinds_repair.hpp"
#include "apps/retention_setting.hpp"
#include "apps/wait_reason.hpp"
#include "command/database.hpp"
#include "command/output.hpp"
#include "common/errors.hpp"
#include "common/pg/exec.hpp"
#include "common/text.hpp"
#include "queries/admin.hpp"

namespace rowrunner {
namespace {

using nlohmann::ordered_json;

ordered_json or_null(const std::string& text) {
  return text.empty() ? ordered_json() : ordered_json(text);
}

std::string kept(const std::string& retention) {
  return retention.empty() ? "for ever" : retention;
}

std::map<std::string, std::int64_t> live_workers(pqxx::dbtransaction& tx) {
  std::map<std::string, std::int64_t> out;
  for (const auto& row : tx.exec(std::string(queries::live_workers.text))) {
    out[row[0].as<std::string>()] = row[1].as<std::int64_t>();
  }
  return out;
}

void list_kinds(const command_context& context) {
  const auto connection = connect_served(context);
  pqxx::work tx(*connection);
  use_system_names(tx);
  const auto kinds = read_kinds(tx, dropped_tables::included);
  auto workers = live_workers(tx);
  if (context.json) {
    ordered_json list = ordered_json::array();
    for (const auto& kind : kinds) {
      list.push_back({{"kind", kind.kind},
                      {"table", or_null(kind.table)},
                      {"state", kind_state(kind.paused, workers[kind.kind])},
                      {"paused", kind.paused},
                      {"workers", workers[kind.kind]},
                      {"cancelled_status", kind.cancelled_status},
                      {"retention", or_null(kind.retention)},
                      {"failed_retention", or_null(kind.failed_retention)}});
    }
    std::cout << ordered_json{{"kinds", list}} << '\n';
    return;
  }
  if (kinds.empty()) {
    std::cout
        << "no kinds: attach a table with SELECT rowrunner.attach('my_jobs', kind => 'my_kind')\n";
    return;
  }
  text_table table(
      {{"KIND"}, {"TABLE"}, {"STATE"}, {"KEEPS SUCCEEDED"}, {"KEEPS FAILED AND CANCELLED"}});
  for (const auto& kind : kinds) {
    table.add({kind.kind, kind.table.empty() ? "(dropped)" : kind.table,
               std::string(kind_state(kind.paused, workers[kind.kind])), kept(kind.retention),
               kept(kind.failed_retention)});
  }
  table.print(std::cout);
}

struct retention_flags {
  std::string kind;
  std::optional<std::string> succeeded;
  std::optional<std::string> failed;
};

void set_retention(const command_context& context, const retention_flags& flags) {
  check_text("kind", flags.kind);
  const auto parsed = [](const std::optional<std::string>& text) {
    return text ? std::optional(parse_retention(*text)) : std::nullopt;
  };
  const auto succeeded = parsed(flags.succeeded);
  const auto failed = parsed(flags.failed);
  if (!succeeded && !failed) {
    throw usage_error(
        "how long? give a time such as 7d, or never; --failed 30d for failed and "
        "cancelled jobs (see rowrunner kinds retention --help)");
  }
  const auto connection = connect_served(context);
  pqxx::work tx(*connection);
  use_system_names(tx);
  const auto now = pg::exec(tx, queries::kind_retention, flags.kind, succeeded, failed);
  if (now.empty()) throw unknown_kind(tx, flags.kind);
  tx.commit();
  const auto retention = now[0][0].as<std::string>("");
  const auto failed_retention = now[0][1].as<std::string>("");
  if (context.json) {
    std::cout << ordered_json{{"kind", flags.kind},
                              {"retention", or_null(retention)},
                              {"failed_retention", or_null(failed_retention)}}
              << '\n';
    return;
  }
  std::cout << flags.kind << " keeps succeeded jobs " << kept(retention)
            << ", failed and cancelled ones " << kept(failed_retention) << '\n';
  if (!retention.empty() || !failed_retention.empty()) {
    std::cout << "workers of the kind delete the rows that are older from its table\n";
  }
}

void set_paused(const command_context& context, const std::string& kind, bool paused) {
  check_text("kind", kind);
  const auto connection = connect_served(context);
  pqxx::work tx(*connection);
  use_system_names(tx);
  const auto changed = pg::exec(tx, queries::pause, kind, paused ? "true" : "false");
  if (changed.empty()) throw unknown_kind(tx, kind);
  tx.commit();
  if (context.json) {
    std::cout << ordered_json{{"kind", kind}, {"paused", paused}} << '\n';
  } else {
    std::cout << kind
              << (paused ? " is paused: its jobs wait, running ones end\n" : " is not paused\n");
  }
}

void add_switch(CLI::App& kinds, command_context& context, const std::string& name, bool paused,
                const std::string& description) {
  auto* command = kinds.add_subcommand(name, description);
  auto kind = std::make_shared<std::string>();
  command->add_option("KIND", *kind, "The kind's name")->required();
  command->callback([&context, kind, paused] {
    context.action = [&context, kind, paused] { set_paused(context, *kind, paused); };
  });
}

void add_retention(CLI::App& kinds, command_context& context) {
  auto* command =
      kinds.add_subcommand("retention", "Say how long finished jobs stay in the table of a kind");
  auto flags = std::make_shared<retention_flags>();
  command->add_option("KIND", flags->kind, "The kind's name")->required();
  command->add_option("SUCCEEDED", flags->succeeded,
                      "Delete succeeded jobs after this time (90m, 12h, 7d, 4w), or never");
  command->add_option("--failed", flags->failed,
                      "Delete failed and cancelled jobs after this time, or never");
  command->footer(
      "This deletes rows of your own table, with their steps, attempts and progress. The time "
      "counts\n"
      "from updated_at, the last change of the job. Without it all jobs are kept. What is not "
      "named\n"
      "stays as it is. Needs the schema's owner.\n"
      "\n"
      "Examples:\n"
      "  rowrunner kinds retention spot_image 7d                 failed and cancelled ones stay\n"
      "  rowrunner kinds retention spot_image 7d --failed 30d\n"
      "  rowrunner kinds retention spot_image never --failed never");
  command->callback([&context, flags] {
    context.action = [&context, flags] { set_retention(context, *flags); };
  });
}

}  // namespace

void add_kinds_command(CLI::App& app, command_context& context) {
  auto* kinds =
      app.add_subcommand("kinds", "The kinds of jobs: list, pause, resume, retention, repair");
  kinds->require_subcommand(0, 1);
  kinds->add_subcommand("list", "List the attached kinds")->callback([&context] {
    context.action = [&context] { list_kinds(context); };
  });
  add_switch(*kinds, context, "pause", true, "Start no more jobs of a kind");
  add_switch(*kinds, context, "resume", false, "Start jobs of a kind again");
  add_retention(*kinds, context);
  add_repair(*kinds, context);
  kinds->footer(
      "Examples:\n"
      "  rowrunner kinds list\n"
      "  rowrunner kinds pause spot_image\n"
      "  rowrunner kinds retention spot_image 7d\n"
      "  rowrunner kinds repair spot_image");
}

}  // namespace rowrunner
