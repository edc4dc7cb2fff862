#include <iostream>
#include <nlohmann/json.hpp>
#include <rowrunner/enqueue.hpp>

#include "admin/transaction.hpp"
#include "apps/commands.hpp"
#include "apps/jobs_list.hpp"
#include "apps/jobs_show.hpp"
#include "command/database.hpp"
#include "command/output.hpp"
#include "common/errors.hpp"
#include "common/pg/exec.hpp"
#include "common/text.hpp"
#include "enqueue/kinds.hpp"
#include "queries/admin.hpp"
#include "queries/engine.hpp"

namespace rowrunner {
namespace {

using nlohmann::ordered_json;

struct retry_options {
  std::vector<std::string> ids;
  bool failed = false;
  std::optional<std::string> kind;
  int limit = 1000;
};

struct cancel_options {
  std::vector<std::string> ids;
  std::optional<std::string> reason;
  bool cascade = false;
};

void check_ids(const std::vector<std::string>& ids) {
  for (const auto& id : ids) {
    if (!is_uuid(id)) throw usage_error("'" + one_line(id, 60) + "' is not a job's id (a uuid)");
  }
}

std::string status_in(const found_job& found) {
  return ordered_json::parse(found.row).at("status").get<std::string>();
}

void print_outcomes(const ordered_json& outcomes, bool json) {
  if (json) {
    std::cout << ordered_json{{"jobs", outcomes}} << '\n';
    return;
  }
  for (const auto& outcome : outcomes) {
    std::cout << outcome["id"].get<std::string>() << "  " << outcome["result"].get<std::string>()
              << '\n';
  }
}

// All of the jobs or none: an id that cannot be retried takes the others back.
void retry_ids(const command_context& context, const std::vector<std::string>& ids) {
  const auto connection = connect_served(context);
  pqxx::work tx(*connection);
  use_system_names(tx);
  const auto kinds = read_kinds(tx);
  ordered_json outcomes = ordered_json::array();
  for (const auto& id : ids) {
    const found_job found = find_job(tx, kinds, id);
    const auto answer = pg::exec(tx, queries::requeue, found.kind->kind, id);
    if (!answer[0][0].as<bool>()) {
      throw std::runtime_error("job " + id + " is " + status_in(found) +
                               ": only failed and cancelled jobs can be retried; nothing was done");
    }
    outcomes.push_back({{"id", id}, {"kind", found.kind->kind}, {"result", "queued"}});
  }
  tx.commit();
  print_outcomes(outcomes, context.json);
}

/// Of all kinds, or of one; each kind commits on its own, so that a long list keeps no locks.
void retry_failed(const command_context& context, const std::optional<std::string>& only,
                  int limit) {
  const auto connection = connect_served(context);
  std::vector<std::string> kinds;
  if (only) {
    kinds.push_back(*only);
  } else {
    pqxx::work tx(*connection);
    use_system_names(tx);
    for (const auto& kind : read_kinds(tx)) kinds.push_back(kind.kind);
  }
  ordered_json by_kind = ordered_json::array();
  int total = 0;
  for (const auto& kind : kinds) {
    if (total == limit) break;
    pqxx::work tx(*connection);
    use_system_names(tx);
    const int count = requeue_failed(tx, kind, limit - total);
    tx.commit();
    by_kind.push_back({{"kind", kind}, {"requeued", count}});
    total += count;
  }
  if (context.json) {
    std::cout << ordered_json{{"requeued", total}, {"kinds", by_kind}} << '\n';
    return;
  }
  for (const auto& each : by_kind) {
    const auto count = each["requeued"].get<int>();
    if (kinds.size() > 1 && count > 0) {
      std::cout << each["kind"].get<std::string>() << ": " << count << '\n';
    }
  }
  std::cout << total << (total == 1 ? " job is" : " jobs are") << " queued again\n";
}

void retry_jobs(const command_context& context, const retry_options& options) {
  if (options.failed == !options.ids.empty()) {
    throw usage_error("jobs retry takes either job ids or --failed");
  }
  if (!options.failed) {
    if (options.kind) throw usage_error("jobs retry: --kind goes with --failed");
    check_ids(options.ids);
    retry_ids(context, options.ids);
    return;
  }
  retry_failed(context, options.kind, options.limit);
}

void cancel_jobs(const command_context& context, const cancel_options& options) {
  check_ids(options.ids);
  if (options.reason) check_text("--reason", *options.reason);
  const auto connection = connect_served(context);
  pqxx::work tx(*connection);
  use_system_names(tx);
  const auto kinds = read_kinds(tx);
  ordered_json outcomes = ordered_json::array();
  for (const auto& id : options.ids) {
    const found_job found = find_job(tx, kinds, id);
    const auto answer =
        pg::exec(tx, queries::cancel, found.kind->kind, id, options.reason, options.cascade);
    const auto result = answer[0][0].is_null() ? "gone" : answer[0][0].as<std::string>();
    // 'cancelled' is also what a job answers that was cancelled before, which is what was wanted.
    if (result != "cancelled" && result != "requested") {
      throw std::runtime_error("job " + id + " is " + result +
                               " already: there is nothing to cancel; nothing was done");
    }
    outcomes.push_back({{"id", id}, {"kind", found.kind->kind}, {"result", result}});
  }
  tx.commit();
  print_outcomes(outcomes, context.json);
}

void add_list(CLI::App& jobs, command_context& context) {
  auto* command = jobs.add_subcommand("list", "List jobs, page by page");
  auto options = std::make_shared<list_options>();
  command->add_option("--kind", options->kind, "Only of this kind");
  command->add_option("--status", options->status, "Only with this status")
      ->check(
          CLI::IsMember({"queued", "delayed", "processing", "succeeded", "failed", "cancelled"}));
  command->add_option("--limit", options->limit, "At most so many (50)")
      ->check(CLI::Range(1, 10000));
  command->add_option("--after", options->after, "Go on where the page before ended");
  command
      ->add_option(
          "--columns", options->columns,
          "Columns of your table to show, with commas; without it your columns come in one.\n"
          "--json has all")
      ->delimiter(',');
  command->footer(
      "Waiting jobs come in the order of the line, delayed ones by their time, failed ones by the\n"
      "time of failure, all others by id, the newest first.\n"
      "\n"
      "Examples:\n"
      "  rowrunner jobs list --status failed --limit 20\n"
      "  rowrunner jobs list --kind spot_image --columns plan_id,spot_name\n"
      "  rowrunner jobs list --kind spot_image --status queued --json");
  command->callback([&context, options] {
    context.action = [&context, options] { list_jobs(context, *options); };
  });
}

void add_show(CLI::App& jobs, command_context& context) {
  auto* command = jobs.add_subcommand("show", "Show a job with its steps, progress and attempts");
  auto id = std::make_shared<std::string>();
  command->add_option("ID", *id, "The job's id")->required();
  command->footer("Example:\n  rowrunner jobs show 01890a5d-ac96-774b-bcce-b302099a8057");
  command->callback([&context, id] {
    context.action = [&context, id] {
      check_ids({*id});
      show_job(context, *id);
    };
  });
}

void add_retry(CLI::App& jobs, command_context& context) {
  auto* command = jobs.add_subcommand("retry", "Put failed or cancelled jobs back in line");
  auto options = std::make_shared<retry_options>();
  command->add_option("ID", options->ids, "The ids of the jobs");
  command->add_flag("--failed", options->failed, "The failed jobs, oldest failure first");
  command->add_option("--kind", options->kind, "Only of this kind, with --failed");
  command->add_option("--limit", options->limit, "At most so many, with --failed (1000)")
      ->check(CLI::Range(1, 1000000));
  command->footer(
      "Examples:\n"
      "  rowrunner jobs retry 01890a5d-ac96-774b-bcce-b302099a8057\n"
      "  rowrunner jobs retry --failed\n"
      "  rowrunner jobs retry --failed --kind spot_image --limit 100");
  command->callback([&context, options] {
    context.action = [&context, options] { retry_jobs(context, *options); };
  });
}

void add_cancel(CLI::App& jobs, command_context& context) {
  auto* command = jobs.add_subcommand("cancel", "Cancel waiting jobs, ask running ones to stop");
  auto options = std::make_shared<cancel_options>();
  command->add_option("ID", options->ids, "The ids of the jobs")->required();
  command->add_option("--reason", options->reason, "Why; it stands in last_error");
  command->add_flag("--cascade", options->cascade, "Also the jobs that wait for them");
  command->footer(
      "Example:\n"
      "  rowrunner jobs cancel 01890a5d-ac96-774b-bcce-b302099a8057 --reason 'plan was deleted'");
  command->callback([&context, options] {
    context.action = [&context, options] { cancel_jobs(context, *options); };
  });
}

}  // namespace

void add_jobs_command(CLI::App& app, command_context& context) {
  auto* jobs = app.add_subcommand("jobs", "Jobs: list, show, retry, cancel");
  jobs->require_subcommand(0, 1);
  add_list(*jobs, context);
  add_show(*jobs, context);
  add_retry(*jobs, context);
  add_cancel(*jobs, context);
  jobs->footer(
      "Examples:\n"
      "  rowrunner jobs list --status failed\n"
      "  rowrunner jobs retry --failed --kind spot_image");
}

}  // namespace rowrunner
