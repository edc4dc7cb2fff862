#include <iostream>
#include <nlohmann/json.hpp>

#include "command/enqueue_command.hpp"
#include "command/enqueue_transaction.hpp"
#include "common/errors.hpp"
#include "workloads/spot_images/commands/commands.hpp"
#include "workloads/spot_images/commands/enqueue_report.hpp"

namespace rowrunner::spot_images {
namespace {

struct spot_images_options {
  std::optional<std::string> plan;
  bool missing = false;
};

void enqueue_spot_images(const command_context& context, const spot_images_options& options) {
  if (options.missing == options.plan.has_value()) {
    throw usage_error("enqueue spot-images takes either --plan or --missing");
  }
  enqueue_answer answer;
  in_enqueue_transaction(context, [&](pqxx::dbtransaction& tx) {
    answer = options.plan ? spot_images(tx, *options.plan) : missing(tx);
  });
  if (context.json) {
    std::cout << to_json(answer) << '\n';
  } else {
    std::cout << to_text(answer) << '\n';
  }
}

}  // namespace

void add_enqueue_command(CLI::App& app, command_context& context) {
  auto* command =
      enqueue_command(app).add_subcommand("spot-images", "The pictures of travel plans");
  auto options = std::make_shared<spot_images_options>();
  command->add_option("--plan", options->plan, "All that this plan needs; failed ones run again");
  command->add_flag("--missing", options->missing,
                    "What was missed: places of any plan without picture and without a job");
  command->footer(
      "A place needs a picture if it has none and was not started or has failed. --missing is "
      "made\n"
      "for cron: it leaves failed jobs alone.\n"
      "\n"
      "Examples:\n"
      "  rowrunner enqueue spot-images --plan kyoto\n"
      "  rowrunner enqueue spot-images --missing --json");
  command->callback([&context, options] {
    context.action = [&context, options] { enqueue_spot_images(context, *options); };
  });
}

}  // namespace rowrunner::spot_images
