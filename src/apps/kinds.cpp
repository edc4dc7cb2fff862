#include "admin/kinds.hpp"

#include <iostream>
#include <nlohmann/json.hpp>

#include "admin/repair.hpp"
#include "admin/retention.hpp"
#include "apps/commands.hpp"
#include "command/database.hpp"
#include "command/output.hpp"
#include "common/errors.hpp"
#include "common/text.hpp"

namespace rowrunner {
namespace {

using nlohmann::ordered_json;

ordered_json or_null(const std::optional<std::string>& text) {
  return text ? ordered_json(*text) : ordered_json();
}

const std::string needs_owner = "Only the role that ran 'rowrunner migrate' may do it.";

std::string kept(const std::optional<std::string>& retention) {
  return retention.value_or("for ever");
}

ordered_json as_json(const admin::kind_summary& kind) {
  return {{"kind", kind.kind},
          {"table", or_null(kind.table)},
          {"state", kind.state},
          {"paused", kind.paused},
          {"workers", kind.workers},
          {"cancelled_status", kind.cancelled_status},
          {"retention", or_null(kind.retention)},
          {"failed_retention", or_null(kind.failed_retention)}};
}

void list_kinds(const command_context& context) {
  const auto kinds = with_database(context, admin::list_kinds);
  if (context.json) {
    ordered_json list = ordered_json::array();
    for (const auto& kind : kinds) list.push_back(as_json(kind));
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
    table.add({kind.kind, kind.table.value_or("(dropped)"), kind.state, kept(kind.retention),
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
  admin::kind_retention wanted;
  if (flags.succeeded) wanted.retention = admin::parse_retention(*flags.succeeded);
  if (flags.failed) wanted.failed_retention = admin::parse_retention(*flags.failed);
  if (!flags.succeeded && !flags.failed) {
    throw usage_error(
        "how long? give a time such as 7d, or never; --failed 30d for failed and "
        "cancelled jobs (see rowrunner kinds retention --help)");
  }
  const auto work = [&](pg::session& session) {
    return admin::set_retention(session, flags.kind, wanted);
  };
  const auto now = with_database(context, work);
  if (context.json) {
    std::cout << ordered_json{{"kind", flags.kind},
                              {"retention", or_null(now.retention)},
                              {"failed_retention", or_null(now.failed_retention)}}
              << '\n';
    return;
  }
  std::cout << flags.kind << " keeps succeeded jobs " << kept(now.retention)
            << ", failed and cancelled ones " << kept(now.failed_retention) << '\n';
  if (now.retention || now.failed_retention) {
    std::cout << "workers of the kind delete the rows that are older from its table\n";
  }
}

void set_paused(const command_context& context, const std::string& kind, bool paused) {
  check_text("kind", kind);
  const auto work = [&](pg::session& session) { return admin::set_paused(session, kind, paused); };
  const bool changed = with_database(context, work);
  if (context.json) {
    std::cout << ordered_json{{"kind", kind}, {"paused", paused}, {"changed", changed}} << '\n';
    return;
  }
  std::cout << kind;
  if (paused) {
    std::cout << (changed ? " is paused" : " was paused already")
              << ": its jobs wait, running ones end\n";
  } else {
    std::cout << (changed ? " is resumed: its jobs start again\n"
                          : " was not paused: nothing has changed\n");
  }
}

void repair(const command_context& context, const std::string& kind) {
  check_text("kind", kind);
  const auto work = [&](pg::session& session) { return admin::repair_kind(session, kind); };
  const auto done = with_database(context, work);
  if (context.json) {
    std::cout << ordered_json{{"kind", kind},
                              {"queued", done.queued},
                              {"delayed", done.delayed},
                              {"failed", done.failed},
                              {"lost", done.lost},
                              {"removed", done.removed},
                              {"problems", done.problems}}
              << '\n';
    return;
  }
  std::cout << kind << ": added " << done.queued << " queued, " << done.delayed << " delayed, "
            << done.failed << " failed, " << done.lost << " lost; removed " << done.removed
            << " stale entries\n";
  for (const auto& problem : done.problems) std::cout << "not repaired: " << problem << '\n';
}

void add_repair(CLI::App& kinds, command_context& context) {
  auto* command = kinds.add_subcommand(
      "repair", "Give every job its entry again, after a restore with triggers disabled");
  auto kind = std::make_shared<std::string>();
  command->add_option("KIND", *kind, "The kind's name")->required();
  command->footer("It reads the whole table. " + needs_owner +
                  "\n\nExample:\n  rowrunner kinds repair spot_image");
  command->callback([&context, kind] {
    context.needs = permission::owner;
    context.action = [&context, kind] { repair(context, *kind); };
  });
}

void add_switch(CLI::App& kinds, command_context& context, const std::string& name, bool paused,
                const std::string& description) {
  auto* command = kinds.add_subcommand(name, description);
  auto kind = std::make_shared<std::string>();
  command->add_option("KIND", *kind, "The kind's name")->required();
  command->footer("Example:\n  rowrunner kinds " + name + " spot_image");
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
      "stays as it is. " +
      needs_owner +
      "\n\n"
      "Examples:\n"
      "  rowrunner kinds retention spot_image 7d                 failed and cancelled ones stay\n"
      "  rowrunner kinds retention spot_image 7d --failed 30d\n"
      "  rowrunner kinds retention spot_image never --failed never");
  command->callback([&context, flags] {
    context.needs = permission::owner;
    context.action = [&context, flags] { set_retention(context, *flags); };
  });
}

}  // namespace

void add_kinds_command(CLI::App& app, command_context& context) {
  auto* kinds =
      app.add_subcommand("kinds", "The kinds of jobs: list, pause, resume, retention, repair");
  kinds->require_subcommand(0, 1);
  auto* list = kinds->add_subcommand("list", "List the attached kinds");
  list->footer("Examples:\n  rowrunner kinds list\n  rowrunner kinds list --json");
  list->callback([&context] { context.action = [&context] { list_kinds(context); }; });
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
