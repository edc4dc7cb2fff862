#include <boost/asio/io_context.hpp>
#include <fstream>
#include <iostream>
#include <iterator>

#include "command/database.hpp"
#include "command/output.hpp"
#include "common/errors.hpp"
#include "workloads/scoring/commands/commands.hpp"
#include "workloads/scoring/commands/output_file.hpp"
#include "workloads/scoring/commands/wait.hpp"
#include "workloads/scoring/models/make_model.hpp"
#include "workloads/scoring/run_store.hpp"
#include "workloads/scoring/sheets/import.hpp"

namespace rowrunner::scoring {

namespace {

constexpr std::size_t largest_categories = 4 * 1024 * 1024;

struct run_flags {
  std::string sheet;
  std::string spreadsheet;
  std::string tab = "Sheet1";
  std::string categories;
  std::string out;
  std::optional<std::string> name;
  std::string column = "utterance";
  std::string provider = default_provider;
  std::optional<std::string> model;
  std::optional<std::string> prompt_file;
  run_config config;
  std::optional<std::int64_t> max_calls;
  std::optional<double> max_cost;
  bool no_worker = false;
  bool detach = false;
};

std::string read_text_file(const std::string& name, std::size_t most) {
  std::ifstream file(name, std::ios::binary);
  std::string text(most + 1, '\0');
  if (file) file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file.is_open() || file.bad() || (file.gcount() == 0 && !file.eof())) {
    throw bad_input("cannot read " + one_line(name, 300));
  }
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > most) {
    throw bad_input(one_line(name, 300) + " is larger than " + std::to_string(most) + " bytes");
  }
  return text;
}

/// Pieces of a file, so that a sheet may be larger than the memory.
sheet_source file_source(const std::string& name) {
  const auto file = std::make_shared<std::ifstream>(name, std::ios::binary);
  if (!*file || file->peek() == std::ifstream::traits_type::eof()) {
    const bool opened = file->is_open() && file->eof();
    throw bad_input(opened ? one_line(name, 300) + " is empty"
                           : "cannot read " + one_line(name, 300));
  }
  return [file, name] {
    std::string piece(256 * 1024, '\0');
    file->read(piece.data(), static_cast<std::streamsize>(piece.size()));
    if (file->bad()) throw std::runtime_error("cannot read " + one_line(name, 300));
    piece.resize(static_cast<std::size_t>(file->gcount()));
    return piece;
  };
}

nlohmann::json read_categories(const std::string& name) {
  const auto text = read_text_file(name, largest_categories);
  try {
    parse_blocks(text, 0);
    return nlohmann::json::parse(text);
  } catch (const bad_input& error) {
    throw bad_input(one_line(name, 200) + ": " + error.what());
  }
}

new_run run_from(const run_flags& flags) {
  new_run out;
  out.name = flags.name.value_or(generated_run_name());
  out.provider = flags.provider;
  out.model = flags.model.value_or(default_model(flags.provider));
  out.column = flags.column;
  out.blocks = read_categories(flags.categories);
  out.config = flags.config;
  if (flags.prompt_file) out.config.system_prompt = read_text_file(*flags.prompt_file, 100'000);
  out.spreadsheet = flags.spreadsheet;
  out.tab = flags.tab;
  out.max_calls = flags.max_calls;
  out.max_cost = flags.max_cost;
  check_run_name(out.name);
  check_model(out.provider, out.model);
  check(out.config);
  return out;
}

/// Workers of other processes have prices of their own, and check them.
void check_price(const command_context& context, const new_run& run) {
  asio::io_context io;
  http::client http(io.get_executor());
  try {
    const auto with = make_model(run.provider, run.model, context.env, http, {});
    if (with->is_paid() && !with->has_price()) throw bad_input(no_price);
  } catch (const usage_error& why) {
    throw bad_input(why.what());
  }
}

void tell_made(const command_context& context, const new_run& run, const made_run& made) {
  if (context.json) return;
  std::cerr << "run " << run.name << (made.created ? " is made: " : " exists: ") << made.rows
            << (made.rows == 1 ? " row\n" : " rows\n");
}

void run_sheet(const command_context& context, const run_flags& flags) {
  const auto run = run_from(flags);
  const bool google = !flags.spreadsheet.empty();
  if (google != flags.sheet.empty()) {
    throw usage_error("scoring run takes either --sheet or --spreadsheet");
  }
  if (!flags.detach && !google && flags.out.empty()) {
    throw usage_error("scoring run needs --out or --detach");
  }
  // Better now than when everything is paid for.
  if (!flags.out.empty()) output_file(flags.out);
  if (run.max_cost && !flags.no_worker && !flags.detach) check_price(context, run);
  auto sheet = google ? read_spreadsheet(context.env, flags.spreadsheet, flags.tab)
                      : file_source(flags.sheet);
  const auto work = [&](pg::session& session) { return make_run(session, run, sheet); };
  made_run made;
  try {
    made = with_database(context, work);
  } catch (const bad_input& error) {
    throw bad_input(one_line(google ? flags.spreadsheet : flags.sheet, 200) + ": " + error.what());
  }
  tell_made(context, run, made);
  if (flags.detach) {
    if (context.json) {
      std::cout << nlohmann::ordered_json{{"run", run.name}, {"rows", made.rows}} << '\n';
    } else {
      std::cout << run.name << '\n';
    }
    return;
  }
  const auto ended = wait_for_run(context, run.name, !flags.no_worker);
  if (!ended) {
    throw std::runtime_error("stopped; run " + run.name + " goes on with: rowrunner scoring wait " +
                             run.name);
  }
  if (ended->status == "completed" && !flags.out.empty()) {
    write_export(context, run.name, flags.out);
  }
  print_status(context, *ended);
  if (ended->status == "failed") {
    throw std::runtime_error("run " + run.name + " has failed: " + one_line(ended->reason, 400) +
                             " (go on with: rowrunner scoring resume " + run.name + ")");
  }
}

void add_config_options(CLI::App& command, run_config& config) {
  command.add_option("--concurrency", config.concurrency, "Calls at a time in one process");
  command.add_option("--max-retries", config.max_retries,
                     "How often a block is asked for again before it has failed");
  command.add_option("--chunk-retry-limit", config.chunk_retry_limit,
                     "How often a chunk runs before it has failed");
  command.add_option("--flush-batch-size", config.flush_batch_size, "Blocks written at a time");
  command.add_option("--flush-interval", config.flush_interval, "Seconds until fewer are written");
  command.add_flag("--keep-going", config.keep_going,
                   "Note rows that cannot be scored, and complete without them");
  command.add_flag("--fallback", config.fallback,
                   "After the last try take an answer that lacks some scores");
}

}  // namespace

void add_run_command(CLI::App& scoring, command_context& context) {
  auto* command = scoring.add_subcommand("run", "Score a sheet, and write it with its scores");
  auto flags = std::make_shared<run_flags>();
  command->add_option("--sheet", flags->sheet, "The CSV file with the utterances");
  command->add_option("--spreadsheet", flags->spreadsheet,
                      "Or the id of a Google spreadsheet, which gets the scores, too");
  command->add_option("--tab", flags->tab, "The tab of the spreadsheet");
  command
      ->add_option("--categories", flags->categories,
                   R"(A JSON file: [{"name": …, "categories": […]}, …])")
      ->required();
  command->add_option("--out", flags->out, "The CSV file to write; - is stdout");
  command->add_option("--name", flags->name, "The run's name (default: a new one)");
  command->add_option("--column", flags->column, "The column with the utterances");
  command->add_option("--provider", flags->provider, "lexical, gemini or openai");
  command->add_option("--model", flags->model, "The provider's model");
  command->add_option("--system-prompt", flags->prompt_file, "A file with a prompt of your own");
  add_config_options(*command, flags->config);
  command->add_option("--max-calls", flags->max_calls, "The most calls of the model")
      ->check(CLI::NonNegativeNumber);
  command->add_option("--max-cost", flags->max_cost, "The most that calls may cost")
      ->check(CLI::NonNegativeNumber);
  command->add_flag("--no-worker", flags->no_worker, "Leave the work to running workers");
  command->add_flag("--detach", flags->detach, "Make the run, print its name, and return");
  command->footer(
      "Example:\n"
      "  rowrunner scoring run --sheet examples/scoring/utterances.csv \\\n"
      "      --categories examples/scoring/categories.json --out scored.csv");
  command->callback(
      [&context, flags] { context.action = [&context, flags] { run_sheet(context, *flags); }; });
}

}  // namespace rowrunner::scoring
