#include "workloads/scoring/chunk_handler.hpp"

#include <thread>

#include "common/errors.hpp"
#include "common/uuid.hpp"
#include "queries/scoring.hpp"
#include "workloads/limits/limits.hpp"
#include "workloads/scoring/budget.hpp"
#include "workloads/scoring/models/make_model.hpp"
#include "workloads/scoring/question_board.hpp"
#include "workloads/services.hpp"

namespace rowrunner::scoring {

namespace {

/// As many connections stay open as calls may be under way.
http::client_options client_settings() {
  http::client_options out;
  out.max_idle_per_server = 1'000;
  out.max_idle = 1'000;
  return out;
}

/// So that a run shows what its calls wait for.
asio::awaitable<void> note_limit(job& self, const chunk_plan& plan, const std::string& key) {
  const std::function<asio::awaitable<step_result>()> body =
      [&plan, &key]() -> asio::awaitable<step_result> {
    step_result out;
    out.effects.push_back(
        {std::string(queries::chunk_limit.text), {plan.run_id, std::to_string(plan.number), key}});
    co_return out;
  };
  co_await self.step("limit " + key, body);
}

int cores() { return std::max(1, static_cast<int>(std::thread::hardware_concurrency())); }

}  // namespace

chunk_handler::chunk_handler(services& engine, environment env, limits::service& limits)
    : engine_(engine),
      env_(std::move(env)),
      limits_(limits),
      cores_(cores()),
      threads_(static_cast<std::size_t>(cores_)),
      cpu_(on_threads(threads_)),
      http_(engine.executor(), client_settings()),
      questions_(std::make_shared<question_board>(engine, cache_settings_from(env_),
                                                  uuid_maker().next())) {}

asio::awaitable<outcome> chunk_handler::run(job& self) {
  try {
    co_return co_await score(self);
  } catch (const usage_error& e) {
    // A worker with other settings may have what is missing here; the document's back-off holds.
    co_return failed{e.what(), chunk_back_off(self.attempt()), false};
  } catch (const bad_input& e) {
    co_return final_failure(e.what());
  }
}

asio::awaitable<outcome> chunk_handler::score(job& self) {
  const auto found = co_await engine_.idempotent_query(self, std::string(queries::chunk_run.text),
                                                       self.text("run_id"), self.text("chunk_no"));
  if (found.rows.empty()) co_return final_failure("the run of this chunk is gone");
  const auto& row = found.rows.front();
  chunk_plan plan;
  plan.run_id = self.text("run_id");
  plan.number = self.get<int>("chunk_no");
  plan.row_start = self.get<int>("row_start");
  plan.row_end = self.get<int>("row_end");
  plan.config = read_config(nlohmann::json::parse(row.at(5).value()));
  plan.system_prompt = row.at(2).value();
  for (auto& each : stored_blocks(row.at(4).value())) {
    plan.blocks.push_back(std::make_shared<const block>(std::move(each)));
  }
  plan.flushes = std::stoi(row.at(6).value());
  plan.done = std::stoi(row.at(7).value());
  auto& shared = model_for(row.at(0).value(), row.at(1).value(), plan.config.concurrency);
  if (auto why = shared.gate->dead_reason(call_gate::clock::now())) {
    co_return final_failure(std::move(*why));
  }
  chunk_parts parts{engine_, *shared.model, shared.gate, cpu_, cores_};
  if (shared.model->is_paid()) {
    parts.questions = questions_;
    parts.limits = &limits_;
    parts.limit_key = shared.model->limit_key();
    parts.budget = co_await budget_for(self, plan.run_id, *shared.model);
    co_await note_limit(self, plan, parts.limit_key);
  }
  const auto config = plan.config;
  const auto report = co_await run_pipeline(self, std::move(plan), std::move(parts));
  if (shared.model->is_paid()) co_await questions_->trim_stored();
  co_return outcome_of(report, config, self.attempt());
}

/// Nothing for a run without limits.
asio::awaitable<std::shared_ptr<budget>> chunk_handler::budget_for(job& self, std::string run_id,
                                                                   const model& of) {
  const auto found =
      co_await engine_.idempotent_query(self, std::string(queries::budget_of_run.text), run_id);
  if (found.rows.empty()) co_return nullptr;
  if (found.rows.front().at(1) && !of.has_price()) throw usage_error(no_price);
  std::erase_if(budgets_, [](const auto& each) { return each.second.expired(); });
  auto& shared = budgets_[run_id];
  auto out = shared.lock();
  if (!out) shared = out = std::make_shared<budget>(engine_, run_id);
  co_return out;
}

chunk_handler::shared_model& chunk_handler::model_for(const std::string& provider,
                                                      const std::string& name, int concurrency) {
  auto& found = models_[{provider, name}];
  if (!found.model) {
    found.model = make_model(provider, name, env_, http_, cpu_);
    found.gate = std::make_shared<call_gate>(engine_.executor(), concurrency);
  }
  found.gate->raise_to(concurrency);
  return found;
}

outcome outcome_of(const chunk_report& report, const run_config& config, int attempt) {
  if (!report.stopped.empty()) {
    return failed{report.stopped, chunk_back_off(attempt), report.stopped_for_good};
  }
  if (report.failed == 0 || config.keep_going) return succeeded{};
  std::string why = report.first_failure;
  if (report.failed > 1) why += " (and " + std::to_string(report.failed - 1) + " more)";
  return failed{why, chunk_back_off(attempt), false};
}

kind_options chunk_options() {
  kind_options options;
  options.kind = "scoring_chunk";
  options.max_concurrent = 4;
  options.columns = {"run_id", "chunk_no", "row_start", "row_end"};
  // min(60, 2^n) seconds, also after what the handler did not foresee.
  options.retry = {std::chrono::milliseconds{2'000}, std::chrono::milliseconds{60'000}, 0};
  return options;
}

}  // namespace rowrunner::scoring
