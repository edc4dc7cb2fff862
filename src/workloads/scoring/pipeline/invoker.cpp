#include "workloads/limits/answer_headers.hpp"
#include "workloads/limits/limits.hpp"
#include "workloads/scoring/budget.hpp"
#include "workloads/scoring/pipeline/pipeline.hpp"

namespace rowrunner::scoring {

namespace {

using clock = std::chrono::steady_clock;

struct asked_reply {
  bool asked = false;
  /// Why nothing was asked, if it was not that the chunk stops.
  std::string refused{};
  reply answer{};
  int calls = 0;
  double cost = 0;
  double seconds = 0;
};

/// An answer without its usage, and a call whose answer was lost, may have cost the most that the
/// call can cost. A 429 and a refused key cost nothing.
void charge(asked_reply& out, const model& model, const question& wanted) {
  const auto& answer = out.answer;
  if (answer.kind == reply_kind::busy || answer.kind == reply_kind::key_dead) return;
  out.calls = 1;
  if (answer.has_usage) {
    out.cost = model.cost_of(answer);
  } else if (answer.maybe_paid || (answer.status >= 200 && answer.status < 300)) {
    out.cost = model.cost_at_most(wanted);
  }
}

limits::answer_facts facts_of(const reply& answer) {
  http::response head;
  head.status = answer.status;
  head.headers = answer.headers;
  auto out = limits::facts_of(head);
  // Some services say it in the body.
  if (!out.retry_after) out.retry_after = answer.after;
  if (answer.tokens_in + answer.tokens_out > 0) {
    out.tokens_used = answer.tokens_in + answer.tokens_out;
  }
  return out;
}

/// What a call waited for may have changed everything meanwhile.
bool may_send(const pipeline& all, asked_reply& out) {
  if (auto why = all.parts.gate->dead_reason(clock::now())) out.refused = std::move(*why);
  return out.refused.empty() && !all.stopping();
}

/// What a call holds while it is under way.
struct call_place {
  call_gate::pass& pass;
  budget::reservation& reserved;
};

asio::awaitable<void> send(pipeline& all, call_place& place, question wanted, asked_reply& out) {
  const auto sent = clock::now();
  place.pass.mark_sent(sent);
  place.reserved.mark_sent();
  out.answer = co_await all.parts.model.ask(std::move(wanted));
  out.seconds = std::chrono::duration<double>(clock::now() - sent).count();
  out.asked = true;
  all.parts.gate->learn(place.pass, out.answer);
}

/// Under the limit that all workers share, if there is one.
asio::awaitable<void> send_within_limits(pipeline& all, call_place& place, const question& wanted,
                                         asked_reply& out) {
  auto& model = all.parts.model;
  if (all.parts.limits == nullptr || !model.is_paid()) {
    if (may_send(all, out)) co_await send(all, place, wanted, out);
    co_return;
  }
  auto permit = co_await all.parts.limits->permit(all.parts.limit_key, model.tokens_of(wanted));
  if (!may_send(all, out)) co_return;
  co_await send(all, place, wanted, out);
  permit.report(facts_of(out.answer));
}

/// False if the budget may have room later: until then others, of other runs, have the place.
asio::awaitable<bool> ask_once(pipeline& all, const question& wanted, asked_reply& out) {
  auto& model = all.parts.model;
  auto pass = co_await all.parts.gate->enter();
  if (!may_send(all, out)) co_return true;
  budget::reservation reserved;
  if (all.parts.budget) {
    const double at_most = model.cost_at_most(wanted);
    const auto room = co_await all.parts.budget->reserve(at_most);
    if (room == budget::room::later) co_return false;
    if (room == budget::room::none) {
      out.refused = "the budget of the run is used up";
      co_return true;
    }
    reserved = all.parts.budget->reserved(at_most);
  }
  call_place place{pass, reserved};
  co_await send_within_limits(all, place, wanted, out);
  if (out.asked) charge(out, model, wanted);
  if (reserved) co_await reserved.settle(out.calls, out.cost);
  co_return true;
}

asio::awaitable<asked_reply> ask(pipeline& all, const task_payload& task) {
  const question wanted(task.utterance, task.asked, all.plan.system_prompt, task.mistake);
  asked_reply out;
  while (!co_await ask_once(all, wanted, out)) co_await all.parts.budget->change_of_room();
  co_return out;
}

asio::awaitable<void> invoke_task(pipeline& all, task_payload task) {
  auto result = co_await ask(all, task);
  if (!result.asked) {
    if (!result.refused.empty()) all.stop(result.refused, true);
    co_return co_await drop_task(all, std::move(task));
  }
  task.calls += result.calls;
  task.cost += result.cost;
  task.seconds += result.seconds;
  pipeline::answered_task item{std::move(task), std::move(result.answer)};
  co_await all.validation.push(std::move(item));
}

}  // namespace

asio::awaitable<void> run_feeder(std::shared_ptr<pipeline> all) {
  while (auto task = co_await all->waiting.pop()) co_await all->invoke.push(std::move(*task));
  all->invoke.close();
}

asio::awaitable<void> run_invoker(std::shared_ptr<pipeline> all) {
  while (auto task = co_await all->invoke.pop()) {
    if (all->stopping()) {
      co_await drop_task(*all, std::move(*task));
    } else {
      co_await invoke_task(*all, std::move(*task));
    }
  }
  if (--all->invokers_left == 0) {
    all->validation.close();
    all->known.close();
  }
}

}  // namespace rowrunner::scoring
