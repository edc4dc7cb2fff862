#include "workloads/scoring/resume.hpp"

#include <iostream>

#include "command/database.hpp"
#include "command/output.hpp"
#include "common/errors.hpp"
#include "workloads/scoring/commands/commands.hpp"
#include "workloads/scoring/commands/output_file.hpp"
#include "workloads/scoring/commands/wait.hpp"

namespace rowrunner::scoring {

namespace {

struct resume_flags {
  std::string run;
  std::string out;
  resume_options how;
  bool no_worker = false;
  bool detach = false;
};

void end_run(const command_context& context, const resume_flags& flags) {
  const auto ended = wait_for_run(context, flags.run, !flags.no_worker);
  if (!ended) {
    throw std::runtime_error("stopped; run " + flags.run +
                             " goes on with: rowrunner scoring wait " + flags.run);
  }
  if (ended->status == "completed" && !flags.out.empty()) {
    write_export(context, flags.run, flags.out);
  }
  print_status(context, *ended);
  if (ended->status == "failed") {
    throw std::runtime_error("run " + flags.run + " has failed: " + one_line(ended->reason, 400));
  }
}

void resume(const command_context& context, const resume_flags& flags) {
  if (!flags.out.empty()) output_file(flags.out);
  const auto work = [&](pg::session& session) { return resume_run(session, flags.run, flags.how); };
  const auto answer = with_database(context, work);
  if (!answer.known) refuse_run(flags.run);
  if (!answer.refused.empty()) throw bad_input("run '" + flags.run + "' " + answer.refused);
  if (!context.json) {
    std::cerr << "run " << flags.run << " goes on: " << answer.chunks
              << (answer.chunks == 1 ? " chunk\n" : " chunks\n");
  }
  if (!flags.detach) end_run(context, flags);
}

void write_sheet(const command_context& context, const resume_flags& flags) {
  const auto work = [&](pg::session& session) { return write_sheet_again(session, flags.run); };
  const auto answer = with_database(context, work);
  if (!answer.known) refuse_run(flags.run);
  if (!answer.refused.empty()) throw bad_input("run '" + flags.run + "' " + answer.refused);
  end_run(context, flags);
}

CLI::App* add_waiting(CLI::App& scoring, const std::shared_ptr<resume_flags>& flags,
                      const char* name, const char* what) {
  auto* command = scoring.add_subcommand(name, what);
  command->add_option("RUN", flags->run, "The run's name")->required();
  command->add_option("--out", flags->out, "The CSV file to write when it is complete");
  command->add_flag("--no-worker", flags->no_worker, "Leave the work to running workers");
  return command;
}

void add_resuming(CLI::App& scoring, command_context& context, const char* name, const char* what,
                  bool retry_failed) {
  auto flags = std::make_shared<resume_flags>();
  flags->how.retry_failed = retry_failed;
  auto* command = add_waiting(scoring, flags, name, what);
  command->add_option("--max-calls", flags->how.max_calls, "A larger budget of calls")
      ->check(CLI::NonNegativeNumber);
  command->add_option("--max-cost", flags->how.max_cost, "A larger budget")
      ->check(CLI::NonNegativeNumber);
  command->add_flag("--detach", flags->detach, "Return at once");
  command->callback(
      [&context, flags] { context.action = [&context, flags] { resume(context, *flags); }; });
}

}  // namespace

void add_resume_commands(CLI::App& scoring, command_context& context) {
  add_resuming(scoring, context, "resume", "Let a run go on that has failed", false);
  add_resuming(scoring, context, "retry-failed", "Score what could not be scored once more", true);
  auto sheet = std::make_shared<resume_flags>();
  auto* again = add_waiting(scoring, sheet, "write-sheet", "Write a run's spreadsheet once more");
  again->callback(
      [&context, sheet] { context.action = [&context, sheet] { write_sheet(context, *sheet); }; });
  auto flags = std::make_shared<resume_flags>();
  auto* command = add_waiting(scoring, flags, "wait", "Work on a run until it has ended");
  command->callback([&context, flags] {
    context.action = [&context, flags] {
      if (!flags->out.empty()) output_file(flags->out);
      end_run(context, *flags);
    };
  });
}

}  // namespace rowrunner::scoring
