#include "workloads/scoring/commands/run_here.hpp"

#include <atomic>
#include <rowrunner/worker.hpp>

#include "workloads/limits/limits.hpp"
#include "workloads/scoring/chunk_handler.hpp"
#include "workloads/scoring/run_handler.hpp"
#include "workloads/scoring/sheets/sheet_handler.hpp"

namespace rowrunner::scoring {

namespace {

worker_options options_for(const command_context& context) {
  worker_options options;
  options.database_url = context.database_url();
  options.pooled = context.env.get("ROWRUNNER_POOLED").value_or("") == "1";
  options.system_names_only = true;
  return options;
}

}  // namespace

struct worker_here::state {
  explicit state(const command_context& context)
      : process(options_for(context), std::make_shared<logger>(log_level::warn)) {
    auto& engine = process.handler_services();
    limits = std::make_unique<rowrunner::limits::service>(engine, context.env);
    const auto chunks = std::make_shared<chunk_handler>(engine, context.env, *limits);
    const auto runs = std::make_shared<run_handler>(engine);
    process.add(chunk_options(), [chunks](job& self) { return chunks->run(self); });
    const auto sheets = std::make_shared<sheet_handler>(engine, context.env);
    process.add(sheet_options(), [sheets](job& self) { return sheets->run(self); });
    process.add(run_options(), [runs](job& self) { return runs->run(self); });
    thread = std::thread([this] {
      try {
        process.run();
      } catch (...) {
        failure = std::current_exception();
      }
      ended = true;
    });
  }

  worker process;
  std::unique_ptr<rowrunner::limits::service> limits;
  std::atomic<bool> ended = false;
  std::exception_ptr failure;
  std::thread thread;
};

worker_here::worker_here(const command_context& context)
    : state_(std::make_unique<state>(context)) {}

worker_here::~worker_here() {
  if (!state_->thread.joinable()) return;
  state_->process.stop();
  state_->thread.join();
}

bool worker_here::ended() const noexcept { return state_->ended; }

void worker_here::stop() {
  if (!state_->thread.joinable()) return;
  state_->process.stop();
  state_->thread.join();
  if (state_->failure) std::rethrow_exception(state_->failure);
}

}  // namespace rowrunner::scoring
