// The part of shared_plan that talks to the database.
#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <nlohmann/json.hpp>

#include "queries/limits.hpp"
#include "workloads/limits/codec.hpp"
#include "workloads/limits/shared_plan.hpp"

namespace rowrunner::limits {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using nlohmann::json;
using std::chrono::steady_clock;

namespace {

constexpr auto long_wait = 60s;
constexpr auto between_warnings = 5min;
constexpr auto after_failure = 250ms;

instant local_now() {
  return std::chrono::duration_cast<instant>(steady_clock::now().time_since_epoch());
}

instant instant_from(const std::string& seconds) { return seconds_from(std::stod(seconds)); }

}  // namespace

void shared_plan::start() {
  changed_.set();
  if (running_ || closed_) return;
  running_ = true;
  asio::co_spawn(engine_.executor(), run(shared_from_this()), [](const std::exception_ptr& thrown) {
    if (thrown) std::rethrow_exception(thrown);
  });
}

asio::awaitable<void> shared_plan::run(std::shared_ptr<shared_plan> self) {
  asio::steady_timer pause(self->engine_.executor());
  while (!self->closed_ && !self->retire_idle()) {
    // Another second may have begun, with more calls at a time.
    self->pump_all();
    schedule::action chosen{schedule::what::report, {}, 0};
    if (self->clock_.known()) chosen = self->schedule_.next(self->view());
    if (chosen.todo == schedule::what::wait) {
      co_await self->changed_.wait_for(std::max<instant>(chosen.until - self->now(), 500us));
      continue;
    }
    std::exception_ptr failure;
    try {
      co_await self->perform(chosen);
      self->away_ = false;
    } catch (const std::exception&) {
      failure = std::current_exception();
    }
    if (failure) {
      self->handle(failure);
      pause.expires_after(after_failure);
      co_await pause.async_wait(asio::as_tuple(asio::use_awaitable));
    }
    self->warn_of_long_waits();
  }
  self->running_ = false;
}

/// A database that is away is waited for. What would stay wrong, such as a schema without these
/// tables, is told to every caller that waits.
void shared_plan::handle(const std::exception_ptr& failure) {
  if (clock_.known()) schedule_.failed(now());
  try {
    std::rethrow_exception(failure);
  } catch (const database_error& e) {
    if (e.temporary && away_) return;
    away_ = e.temporary;
    engine_.log().warn("calls that are limited wait: the database does not plan them",
                       {{"error", e.what()}});
    if (!e.temporary) refuse_all(failure);
  } catch (const std::exception& e) {
    engine_.log().error("the plans of limited calls cannot be read", {{"error", e.what()}});
    refuse_all(failure);
  }
}

/// True if there is no key left to plan for.
bool shared_plan::retire_idle() {
  bool none = true;
  for (const auto& [_, each] : keys_) {
    auto& at = *each;
    const bool in_use = !at.waiting.empty() || at.door.in_flight() > 0 || !clock_.known() ||
                        now() - at.door.last_use() < idle_after_;
    if (at.active && !in_use) at.active = at.reported = false;
    none = none && !at.active;
  }
  return none;
}

schedule::view shared_plan::view() const {
  schedule::view seen{now(), true, true, false};
  const auto at = epoch_of(seen.now);
  for (const auto& [_, each] : keys_) {
    if (!each->active) continue;
    seen.has_current = seen.has_current && each->door.has_plan(at);
    seen.has_next = seen.has_next && each->door.has_plan(at + 1);
    seen.urgent = seen.urgent || !each->reported || each->door.block_to_store();
  }
  return seen;
}

asio::awaitable<void> shared_plan::perform(const schedule::action& chosen) {
  const bool first = !clock_.known();
  if (!first) schedule_.begun(chosen, now());
  switch (chosen.todo) {
    case schedule::what::report:
      co_await report();
      break;
    case schedule::what::read:
      co_await read(chosen.target);
      break;
    case schedule::what::propose:
      co_await propose(chosen.target);
      break;
    case schedule::what::clean_up: {
      query_params none;
      co_await ask(queries::limits_clean_up.text, std::move(none));
      break;
    }
    case schedule::what::wait:
      break;
  }
  // Only its answer told the time.
  if (first && clock_.known()) schedule_.begun(chosen, now());
}

asio::awaitable<query_result> shared_plan::ask(std::string_view sql, query_params params) {
  ++statements_;
  co_return co_await engine_.query(std::string{sql}, std::move(params));
}

asio::awaitable<void> shared_plan::report() {
  json reports = json::array();
  json blocks = json::array();
  std::vector<std::pair<entry*, instant>> stored;
  std::vector<entry*> told;
  for (const auto& [key, each] : keys_) {
    if (!each->active) continue;
    told.push_back(each.get());
    const auto time = clock_.known() ? now() : instant{0};
    reports.push_back({{"key", key}, {"report", to_json(each->door.report(time))}});
    if (const auto until = each->door.block_to_store()) {
      blocks.push_back({{"key", key}, {"until", in_seconds(*until)}});
      stored.emplace_back(each.get(), *until);
    }
  }
  query_params params{replica_, reports.dump(), blocks.dump()};
  const auto asked = local_now();
  const auto answer = co_await ask(queries::limits_report.text, std::move(params));
  for (auto* each : told) each->reported = true;
  for (const auto& [each, until] : stored) each->door.stored(until);
  learn(answer, asked);
}

asio::awaitable<void> shared_plan::read(epoch target) {
  json asked_keys = json::array();
  for (const auto& [key, each] : keys_) {
    each->before.reset();
    each->members.clear();
    if (each->active) asked_keys.push_back(key);
  }
  query_params params{asked_keys.dump(), std::to_string(target)};
  const auto asked = local_now();
  learn(co_await ask(queries::limits_read.text, std::move(params)), asked);
}

asio::awaitable<void> shared_plan::propose(epoch target) {
  json proposals = json::array();
  for (const auto& [key, each] : keys_) {
    if (!each->active || each->door.has_plan(target) || each->members.empty()) continue;
    auto made = next_plan(each->before, target, each->known, std::move(each->members));
    each->members.clear();
    proposals.push_back({{"key", key}, {"epoch", target}, {"plan", to_json(made)}});
  }
  if (proposals.empty()) co_return;
  query_params params{proposals.dump()};
  const auto answer = co_await ask(queries::limits_propose.text, std::move(params));
  for (const auto& row : answer.rows) learn_row("plan", row.at(0).value(), row.at(1).value());
}

void shared_plan::learn(const query_result& answer, instant asked) {
  const auto answered = local_now();
  for (const auto& row : answer.rows) {
    const auto& what = row.at(0).value();
    if (what == "clock") {
      clock_.learn(asked, answered, instant_from(row.at(2).value()));
    } else {
      learn_row(what, row.at(1).value(), row.at(2).value());
    }
  }
}

void shared_plan::learn_row(const std::string& what, const std::string& key,
                            const std::string& value) {
  const auto found = keys_.find(key);
  if (found == keys_.end()) return;
  auto& at = *found->second;
  if (what == "block") {
    at.door.block(instant_from(value));
  } else if (what == "plan") {
    at.door.adopt(plan_from(json::parse(value)));
  } else if (what == "before") {
    at.before = plan_from(json::parse(value));
  } else if (what == "member") {
    // The plan gives nothing to one that is left out, so the limit holds.
    if (auto report = readable_report(value)) at.members.push_back(std::move(*report));
  }
}

void shared_plan::warn_of_long_waits() {
  const auto time = steady_clock::now();
  for (const auto& [key, each] : keys_) {
    if (each->waiting.empty() || time < each->next_warning) continue;
    const auto waited = time - each->waiting.front()->since;
    if (waited < long_wait) continue;
    each->next_warning = time + between_warnings;
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(waited).count();
    engine_.log().warn("a call has waited long for its permit",
                       {{"key", key},
                        {"seconds", seconds},
                        {"waiting", each->door.waiting()},
                        {"reason", each->door.why(now())}});
  }
}

}  // namespace rowrunner::limits
