#include "workloads/scoring/commands/wait.hpp"

#include <unistd.h>

#include <chrono>
#include <iostream>
#include <rowrunner/bad_input.hpp>
#include <thread>

#include "command/database.hpp"
#include "command/output.hpp"
#include "workloads/scoring/commands/output_file.hpp"
#include "workloads/scoring/commands/run_here.hpp"
#include "workloads/scoring/export.hpp"
#include "workloads/scoring/progress_bar.hpp"

namespace rowrunner::scoring {

namespace {

constexpr std::chrono::milliseconds between_looks{200};
constexpr int bar_width = 24;

/// On stderr, so that it does not mix with what scripts read.
class terminal_bar {
 public:
  explicit terminal_bar(bool shown) : shown_(shown) {}
  ~terminal_bar() {
    if (drawn_) std::cerr << '\n';
  }
  void draw(const run_status& of) {
    when_.add(of.seconds, of.done_blocks());
    if (!shown_) return;
    std::cerr << "\r\x1b[K" << progress_line(of, when_, bar_width) << std::flush;
    drawn_ = true;
  }

 private:
  const bool shown_;
  bool drawn_ = false;
  time_left when_;
};

run_status look(command_database& database, const std::string& name) {
  const auto work = [&](pg::session& session) { return read_status(session, name); };
  auto found = database.run(work);
  if (!found) refuse_run(name);
  return std::move(*found);
}

}  // namespace

std::optional<run_status> wait_for_run(const command_context& context, const std::string& name,
                                       bool with_worker) {
  command_database database(context);
  database.require_served();
  terminal_bar bar(!context.json && isatty(STDERR_FILENO) == 1);
  std::optional<worker_here> here;
  if (with_worker) here.emplace(context);
  for (;;) {
    const auto status = look(database, name);
    bar.draw(status);
    if (status.ended()) {
      if (here) here->stop();
      return status;
    }
    if (here && here->ended()) {
      here->stop();
      return std::nullopt;
    }
    std::this_thread::sleep_for(between_looks);
  }
}

void write_export(const command_context& context, const std::string& name,
                  const std::string& file) {
  output_file out(file);
  const text_sink to = [&](std::string_view text) { out.write(text); };
  const auto work = [&](pg::session& session) -> asio::awaitable<bool> {
    const auto run = co_await find_run(session, name);
    if (!run) refuse_run(name);
    co_await export_csv(pages_of(session), *run, to);
    co_return true;
  };
  with_database(context, work);
  out.finish();
}

void print_status(const command_context& context, const run_status& of) {
  if (context.json) {
    std::cout << to_json(of) << '\n';
  } else {
    std::cout << "run " << of.name << " is " << of.status << ": " << of.processed_rows << " of "
              << of.rows << " rows, " << of.processed_blocks << " of " << of.total_blocks()
              << " blocks, " << of.calls << " calls, " << of.cache_hits << " from the cache";
    if (of.failed_blocks > 0) std::cout << ", " << of.failed_blocks << " failed";
    if (!of.sheet_status.empty()) std::cout << ", spreadsheet " << of.sheet_status;
    if (!of.sheet_error.empty()) std::cout << " (" << one_line(of.sheet_error, 400) << ")";
    if (!of.reason.empty()) std::cout << " (" << one_line(of.reason, 400) << ")";
    std::cout << '\n';
  }
}

void refuse_run(const std::string& name) {
  throw bad_input("there is no run '" + one_line(name, 100) + "'");
}

}  // namespace rowrunner::scoring
