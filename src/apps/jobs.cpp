#include <iostream>
#include <nlohmann/json.hpp>

#include "admin/cancel.hpp"
#include "admin/retry.hpp"
#include "apps/commands.hpp"
#include "apps/jobs_list.hpp"
#include "apps/jobs_show.hpp"
#include "command/database.hpp"
#include "command/output.hpp"
#include "common/errors.hpp"
#include "common/text.hpp"

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

/// Some tables have no status for cancelled jobs: "failed (cancelled)".
std::string as_text(const admin::job_result& result) {
  const bool other_word = result.what == "cancelled" && result.status != result.what;
  return other_word ? result.status + " (" + result.what + ")" : result.what;
}

void print_changed(const std::vector<admin::changed_job>& jobs, bool json) {
  ordered_json list = ordered_json::array();
  for (const auto& [id, kind, result] : jobs) {
    if (json) {
      list.push_back(
          {{"id", id}, {"kind", kind}, {"result", result.what}, {"status", result.status}});
    } else {
      std::cout << id << "  " << as_text(result) << '\n';
    }
  }
  if (json) std::cout << ordered_json{{"jobs", list}} << '\n';
}

void print_retried(const admin::retried_failures& retried, bool json) {
  ordered_json list = ordered_json::array();
  for (const auto& [kind, requeued] : retried.kinds) {
    list.push_back({{"kind", kind}, {"requeued", requeued}});
    if (!json && retried.of_several_kinds && requeued > 0) {
      std::cout << kind << ": " << requeued << '\n';
    }
  }
  if (json) {
    std::cout << ordered_json{{"requeued", retried.requeued}, {"kinds", list}} << '\n';
    return;
  }
  std::cout << retried.requeued << (retried.requeued == 1 ? " job is" : " jobs are")
            << " queued again\n";
}

void retry_ids(const command_context& context, const std::vector<std::string>& ids) {
  check_ids(ids);
  const auto work = [&](pg::session& session) { return admin::retry_jobs(session, ids); };
  print_changed(with_database(context, work), context.json);
}

void retry_failed(const command_context& context, const retry_options& options) {
  if (options.kind) check_text("kind", *options.kind);
  const auto work = [&](pg::session& session) {
    return admin::retry_failed(session, options.kind, options.limit);
  };
  print_retried(with_database(context, work), context.json);
}

void retry_jobs(const command_context& context, const retry_options& options) {
  if (options.failed == !options.ids.empty()) {
    throw usage_error("jobs retry takes either job ids or --failed");
  }
  if (!options.failed && options.kind) throw usage_error("jobs retry: --kind goes with --failed");
  if (options.failed) {
    retry_failed(context, options);
  } else {
    retry_ids(context, options.ids);
  }
}

void cancel_jobs(const command_context& context, const cancel_options& options) {
  check_ids(options.ids);
  if (options.reason) check_text("--reason", *options.reason);
  const auto work = [&](pg::session& session) {
    return admin::cancel_jobs(session, options.ids, options.reason, options.cascade);
  };
  print_changed(with_database(context, work), context.json);
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
      "Waiting jobs come in the order of the queue, delayed ones by their time, failed ones by "
      "the\n"
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
  auto* command = jobs.add_subcommand("retry", "Queue failed or cancelled jobs again");
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
  command->add_option("--reason", options->reason, "Why; it is written into last_error");
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
