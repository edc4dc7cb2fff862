#include <fstream>
#include <iostream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "command/enqueue_transaction.hpp"
#include "command/output.hpp"
#include "common/errors.hpp"
#include "workloads/spot_images/commands/commands.hpp"
#include "workloads/spot_images/commands/enqueue_report.hpp"
#include "workloads/spot_images/enqueue.hpp"
#include "workloads/spot_images/plan_store.hpp"

namespace rowrunner::spot_images {
namespace {

using nlohmann::ordered_json;

struct import_options {
  std::string file;
  bool enqueue = false;
};

std::string read_whole(std::istream& from) {
  // One byte more than is allowed shows that there is too much.
  std::string out(max_plan_file + 1, '\0');
  from.read(out.data(), static_cast<std::streamsize>(out.size()));
  out.resize(static_cast<std::size_t>(from.gcount()));
  return out;
}

std::string read_plan_file(const std::string& name) {
  if (name == "-") return read_whole(std::cin);
  std::ifstream file(name, std::ios::binary);
  std::string out = file ? read_whole(file) : std::string();
  // A folder opens, but cannot be read.
  if (!file.is_open() || file.bad() || (out.empty() && !file.eof())) {
    throw std::runtime_error("cannot read " + one_line(name, 200));
  }
  return out;
}

plan parse_named(const std::string& name) {
  const std::string text = read_plan_file(name);
  try {
    return parse_plan(text);
  } catch (const bad_input& error) {
    throw bad_input((name == "-" ? "stdin" : one_line(name, 200)) + ": " +
                    one_line(error.what(), 500));
  }
}

void import_file(const command_context& context, const import_options& options) {
  const plan given = parse_named(options.file);
  bool created = false;
  enqueue_attempt enqueued;
  in_enqueue_transaction(context, [&](pqxx::dbtransaction& tx) {
    created = import_plan(tx, given) == import_result::created;
    if (options.enqueue) enqueued = spot_images_or_nothing(tx, given.id);
  });
  if (context.json) {
    ordered_json out{{"plan_id", given.id},
                     {"result", created ? "created" : "unchanged"},
                     {"spots", given.spots.size()}};
    if (enqueued.answer) out["enqueue"] = to_json(*enqueued.answer);
    std::cout << out << '\n';
  } else {
    std::cout << "plan " << given.id << (created ? " is imported: " : " is unchanged: ")
              << given.spots.size() << (given.spots.size() == 1 ? " spot\n" : " spots\n");
    if (enqueued.answer) std::cout << to_text(*enqueued.answer) << '\n';
  }
  if (options.enqueue && !enqueued.answer) {
    throw std::runtime_error(
        "the plan is saved, but its pictures are not enqueued: " + one_line(enqueued.error, 500) +
        " (later: rowrunner enqueue spot-images --missing)");
  }
}

ordered_json or_null(const std::optional<std::string>& text) {
  return text ? ordered_json(*text) : ordered_json();
}

ordered_json to_json(const spot_state& state) {
  ordered_json out{{"spot_name", state.spot.name},
                   {"area", state.spot.area},
                   {"description", state.spot.description},
                   {"image_status", state.image_status},
                   {"image_url", or_null(state.spot.image_url)},
                   {"job", ordered_json()}};
  if (state.job_id) {
    out["job"] = ordered_json{{"id", *state.job_id},
                              {"status", or_null(state.job_status)},
                              {"attempts", state.attempts},
                              {"max_attempts", state.max_attempts},
                              {"last_error", or_null(state.last_error)}};
  }
  return out;
}

void show(const command_context& context, const std::string& plan_id) {
  plan_state plan;
  in_enqueue_transaction(context, [&](pqxx::dbtransaction& tx) { plan = read_plan(tx, plan_id); });
  if (context.json) {
    ordered_json spots = ordered_json::array();
    for (const auto& state : plan.spots) spots.push_back(to_json(state));
    std::cout << ordered_json{{"plan_id", plan.id}, {"title", plan.title}, {"spots", spots}}
              << '\n';
    return;
  }
  std::cout << plan.id << "  " << one_line(plan.title, 100) << "\n\n";
  using align = text_table::align;
  text_table table({{"PLACE"}, {"IMAGE"}, {"JOB"}, {"ATTEMPTS", align::right}, {"PICTURE"}});
  for (const auto& state : plan.spots) {
    // The reason of a failure matters until there is a picture after all.
    const std::string picture = state.spot.image_url.value_or("");
    const std::string error = state.last_error ? "(" + *state.last_error + ")" : "-";
    table.add({one_line(state.spot.name, 40), state.image_status, state.job_status.value_or("-"),
               state.job_id ? std::to_string(state.attempts) : "-",
               picture.empty() ? one_line(error, 120) : one_line(picture, 200)});
  }
  table.print(std::cout);
}

}  // namespace

void add_plan_command(CLI::App& app, command_context& context) {
  auto* plan = app.add_subcommand("plan", "Travel plans: import, show");
  plan->require_subcommand(0, 1);
  plan->footer(
      "Examples:\n"
      "  rowrunner plan import examples/kyoto.json --enqueue\n"
      "  rowrunner plan show kyoto");

  auto* import_command = plan->add_subcommand("import", "Save a plan and its places");
  auto options = std::make_shared<import_options>();
  import_command->add_option("FILE", options->file, "The plan as JSON; - reads stdin")->required();
  import_command->add_flag("--enqueue", options->enqueue, "Enqueue its pictures as well");
  import_command->footer("Example:\n  rowrunner plan import examples/kyoto.json --enqueue");
  import_command->callback([&context, options] {
    context.action = [&context, options] { import_file(context, *options); };
  });

  auto* show_command = plan->add_subcommand("show", "Show a plan's places and their pictures");
  auto id = std::make_shared<std::string>();
  show_command->add_option("ID", *id, "The plan's id")->required();
  show_command->footer("Example:\n  rowrunner plan show kyoto");
  show_command->callback(
      [&context, id] { context.action = [&context, id] { show(context, *id); }; });
}

}  // namespace rowrunner::spot_images
