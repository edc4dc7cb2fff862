#include "workloads/scoring/budget.hpp"

#include "common/pg/array.hpp"
#include "queries/scoring.hpp"
#include "workloads/scoring/csv.hpp"
#include "workloads/scoring/patient_query.hpp"

namespace rowrunner::scoring {

namespace {

constexpr std::size_t most_at_once = 1'000;
/// How long the calls of a worker that is lost may still give something back.
constexpr std::chrono::seconds lease{15};
/// Between two questions whether another worker has given something back.
constexpr std::chrono::milliseconds between_asks{250};

struct grant {
  std::size_t granted = 0;
  bool may_come_back = false;
};

asio::awaitable<grant> reserve_calls(services& engine, std::string run_id,
                                     std::vector<double> costs) {
  query_params params;
  params.emplace_back(std::move(run_id));
  params.emplace_back(pg::array(costs));
  params.emplace_back(std::to_string(lease.count()));
  const auto found =
      co_await patient_query(engine, std::string(queries::budget_reserve.text), std::move(params));
  const auto& row = found.rows.at(0);
  grant out;
  out.granted = std::stoul(row.at(0).value());
  out.may_come_back = row.at(1).value() == "t";
  co_return out;
}

/// An answer that was lost must not give the same back twice: once is tried, and what is not given
/// back stays spent.
asio::awaitable<void> give_back(services& engine, std::string run_id, int calls, double cost,
                                std::size_t ended) {
  query_params params;
  params.emplace_back(std::move(run_id));
  params.emplace_back(std::to_string(calls));
  params.emplace_back(csv_number(cost));
  params.emplace_back(std::to_string(ended));
  try {
    co_await engine.query(std::string(queries::budget_settle.text), std::move(params));
  } catch (const database_error&) {
  }
}

}  // namespace

// A batch may be under way when the budget is gone: it knows the engine and the run by itself.
budget::budget(services& engine, const std::string& run_id)
    : engine_(engine), run_id_(run_id), settled_(engine.executor()) {
  const auto reserve_all =
      [&engine, run_id](std::vector<double> costs) -> asio::awaitable<std::vector<room>> {
    std::vector<room> out(costs.size());
    const auto answer = co_await reserve_calls(engine, run_id, std::move(costs));
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = i < answer.granted ? room::granted : answer.may_come_back ? room::later : room::none;
    }
    co_return out;
  };
  reservations_ =
      std::make_shared<gathered<double, room>>(engine.executor(), most_at_once, reserve_all);
  const auto settle_all =
      [&engine, run_id](std::vector<change> changes) -> asio::awaitable<std::vector<bool>> {
    change sum;
    for (const auto& each : changes) {
      sum.calls += each.calls;
      sum.cost += each.cost;
    }
    co_await give_back(engine, run_id, sum.calls, sum.cost, changes.size());
    co_return std::vector<bool>(changes.size(), true);
  };
  settlements_ =
      std::make_shared<gathered<change, bool>>(engine.executor(), most_at_once, settle_all);
}

asio::awaitable<budget::room> budget::reserve(double at_most) {
  co_return co_await reservations_->ask(at_most);
}

asio::awaitable<void> budget::change_of_room() {
  co_await settled_.wait(wait_list::time_point::clock::now() + between_asks);
}

budget::reservation budget::reserved(double at_most) {
  ++under_way_;
  if (!std::exchange(renewing_, true)) {
    asio::co_spawn(engine_.executor(), renew(shared_from_this()), asio::detached);
  }
  return {shared_from_this(), at_most};
}

void budget::call_ended() {
  --under_way_;
  settled_.wake_all();
}

budget::reservation::~reservation() {
  if (!of_) return;
  of_->call_ended();
  change back;
  if (!sent_) {
    back.calls = 1;
    back.cost = cost_;
  }
  asio::co_spawn(of_->engine_.executor(), budget::settle(of_, back), asio::detached);
}

/// Also if what settles it is cancelled.
struct budget::ended_call {
  ~ended_call() {
    if (of) of->call_ended();
  }
  std::shared_ptr<budget> of;
};

asio::awaitable<void> budget::reservation::settle(int used, double cost) {
  const ended_call mine{std::exchange(of_, nullptr)};
  if (!mine.of) co_return;
  change back;
  back.calls = 1 - used;
  back.cost = cost_ - cost;
  co_await mine.of->settlements_->ask(back);
}

asio::awaitable<void> budget::settle(std::shared_ptr<budget> self, change back) {
  co_await self->settlements_->ask(back);
}

/// While calls are under way.
asio::awaitable<void> budget::renew(std::shared_ptr<budget> self) {
  while (self->under_way_ > 0) {
    asio::steady_timer pause(self->engine_.executor(), lease / 3);
    co_await pause.async_wait(asio::use_awaitable);
    if (self->under_way_ == 0) break;
    query_params params;
    params.emplace_back(self->run_id_);
    params.emplace_back(std::to_string(lease.count()));
    try {
      co_await self->engine_.query(std::string(queries::budget_renew.text), std::move(params));
    } catch (const database_error&) {
    }
  }
  self->renewing_ = false;
}

}  // namespace rowrunner::scoring
