#include <iostream>

#include "command/database.hpp"
#include "command/output.hpp"
#include "workloads/scoring/commands/commands.hpp"
#include "workloads/scoring/commands/wait.hpp"
#include "workloads/scoring/export.hpp"

namespace rowrunner::scoring {

namespace {

using nlohmann::ordered_json;

stored_run stored(const command_context& context, const std::string& name) {
  const auto work = [&](pg::session& session) { return find_run(session, name); };
  auto found = with_database(context, work);
  if (!found) refuse_run(name);
  return std::move(*found);
}

void show_chunks(const command_context& context, const std::string& name) {
  const auto run = stored(context, name);
  const auto work = [&](pg::session& session) { return read_chunks(session, run.id); };
  const auto chunks = with_database(context, work);
  if (context.json) {
    std::cout << chunks << '\n';
    return;
  }
  std::cout << chunks.dump(2) << '\n';
}

void show_checkpoint(const command_context& context, const std::string& name) {
  const auto run = stored(context, name);
  const text_sink to = [](std::string_view text) { std::cout << text; };
  const auto work = [&](pg::session& session) -> asio::awaitable<bool> {
    co_await export_checkpoint(pages_of(session), run.id, to);
    co_return true;
  };
  with_database(context, work);
}

void show_cache(const command_context& context) {
  const text_sink to = [](std::string_view text) { std::cout << text; };
  const auto work = [&](pg::session& session) -> asio::awaitable<bool> {
    co_await export_cache(session, to);
    co_return true;
  };
  with_database(context, work);
}

void show_failures(const command_context& context, const std::string& name) {
  const auto run = stored(context, name);
  const auto work = [&](pg::session& session) { return read_failures(session, run.id); };
  std::cout << with_database(context, work).dump(context.json ? -1 : 2) << '\n';
}

void show_status(const command_context& context, const std::string& name) {
  const auto work = [&](pg::session& session) { return read_status(session, name); };
  const auto found = with_database(context, work);
  if (!found) refuse_run(name);
  print_status(context, *found);
}

using show_function = void (*)(const command_context&, const std::string&);

void add_show(CLI::App& scoring, command_context& context, const char* name, const char* what,
              show_function show) {
  auto* command = scoring.add_subcommand(name, what);
  auto run = std::make_shared<std::string>();
  command->add_option("RUN", *run, "The run's name")->required();
  command->callback(
      [&context, run, show] { context.action = [&context, run, show] { show(context, *run); }; });
}

}  // namespace

void add_show_commands(CLI::App& scoring, command_context& context) {
  add_show(scoring, context, "show", "How far a run is", show_status);
  add_show(scoring, context, "chunks", "The chunks of a run, as chunk_meta.json", show_chunks);
  add_show(scoring, context, "checkpoint", "What is scored, as checkpoint.json", show_checkpoint);
  add_show(scoring, context, "failures", "What could not be scored, and why", show_failures);

  auto* cache = scoring.add_subcommand("cache", "The cached answers, as cache.json");
  cache->callback([&context] { context.action = [&context] { show_cache(context); }; });

  auto* command = scoring.add_subcommand("export", "Write a run's sheet with its scores as CSV");
  auto run = std::make_shared<std::string>();
  auto out = std::make_shared<std::string>("-");
  command->add_option("RUN", *run, "The run's name")->required();
  command->add_option("--out", *out, "The file to write (default: stdout)");
  command->callback([&context, run, out] {
    context.action = [&context, run, out] { write_export(context, *run, *out); };
  });
}

}  // namespace rowrunner::scoring
