#include "chaos/worker/execution.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <csignal>

#include "chaos/recorder.hpp"

namespace rowrunner::chaos {

namespace asio = boost::asio;
using namespace std::chrono_literals;

namespace {

/// As find_job_table would answer. A handler has no connection to ask with.
const job_table& children_table() {
  static const job_table table{
      "chaos", "public.chaos_jobs", {{"id", "uuid"}, {"name", "text"}}, "name"};
  return table;
}

}  // namespace

void execution::note(const std::string& event, const std::string& detail) const {
  append_record(context_->history, context_->worker + " " + event + " " + name_ + " " +
                                       std::to_string(attempt_) + " " + std::to_string(lease_) +
                                       (detail.empty() ? "" : " " + detail));
}

effect execution::page(const std::string& step) const {
  return {"INSERT INTO public.chaos_pages (job_id, step, lease) VALUES ($1, $2, $3)",
          {id_, step, std::to_string(lease_)}};
}

effect execution::child(const std::string& name, const std::string& id) {
  new_job made;
  made.id = id;
  made.columns["name"] = name;
  return enqueue_effect(children_table(), made);
}

void execution::add_fork(std::vector<effect>& effects) const {
  join after;
  after.child_kind = after.parent_kind = "chaos";
  after.child_id = new_job_id();
  for (int i = 1; i <= leaves_of_a_fork; ++i) {
    after.parent_ids.push_back(new_job_id());
    effects.push_back(child(leaf_of(name_, i), after.parent_ids.back()));
  }
  effects.push_back(child(total_of(name_), after.child_id));
  effects.push_back(run_after_effect(after));
}

outcome execution::end(action what) const {
  succeeded done;
  switch (what) {
    case action::fail:
    case action::out_of_memory:
      note("end", "fail");
      return failed{"seeded failure under lease " + std::to_string(lease_), {}, false};
    case action::fail_for_good:
      note("end", "final");
      return final_failure("seeded end under lease " + std::to_string(lease_));
    case action::retry_later:
      note("end", "later");
      return retry_after("seeded retry under lease " + std::to_string(lease_), 500ms);
    case action::snooze:
      note("end", "snooze");
      return snoozed{300ms};
    case action::refused_effect:
      done.effects.push_back({"INSERT INTO public.chaos_effects (job_id, lease) VALUES ($1, $2)",
                              {std::nullopt, std::nullopt}});
      note("end", "refused-effect");
      return done;
    case action::succeed:
      note("end", "ok");
      return done;
    default:
      done.effects.push_back({"INSERT INTO public.chaos_effects (job_id, lease) VALUES ($1, $2)",
                              {id_, std::to_string(lease_)}});
      if (what == action::fork) add_fork(done.effects);
      note("end", "effect");
      return done;
  }
}

void execution::crash(int signal) const {
  note("crash", std::to_string(signal));
  std::signal(signal, SIG_DFL);
  std::raise(signal);
  std::abort();
}

asio::awaitable<void> pause(std::chrono::milliseconds time) {
  asio::steady_timer timer(co_await asio::this_coro::executor, time);
  co_await timer.async_wait(asio::use_awaitable);
}

}  // namespace rowrunner::chaos
