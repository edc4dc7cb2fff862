#include "worker/step_writer.hpp"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <map>

#include "common/pg/array.hpp"
#include "common/pg/binary_array.hpp"
#include "common/pg/error.hpp"
#include "queries/engine.hpp"
#include "queries/session.hpp"
#include "worker/effect_calls.hpp"
#include "worker/lane.hpp"

namespace rowrunner {

namespace asio = boost::asio;

namespace {

/// Ends use the same connection, and must not wait for what an effect waits for.
constexpr const char* lock_timeout = "100ms";
/// Another session has locked the job's row: progress and cancels do so for a moment.
constexpr std::chrono::milliseconds pause_for_a_lock{20};

bool carries_effects(const step_ptr& step) { return !step->given.effects.empty(); }

}  // namespace

/// The steps of one lane in a batch, and what the database answered.
struct step_writer::group {
  rowrunner::lane* lane;
  step_queue::batch members;
  std::vector<pending_step::answer> answers;

  pg::call call() const;
  void read(const pg::result& answer);
};

pg::call step_writer::group::call() const {
  std::vector<std::string_view> ids;
  std::vector<std::int64_t> leases;
  std::vector<std::string> names, results;
  for (const auto& step : members) {
    ids.push_back(step->job->id);
    leases.push_back(step->job->lease);
    names.push_back(step->name);
    results.push_back(step->given.value.dump());
  }
  return pg::with(lane->sql.store_steps, std::to_string(lane->kind.id), pg::uuid_array(ids),
                  pg::int_array(leases), pg::array(names), pg::array(results));
}

void step_writer::group::read(const pg::result& answer) {
  answers.assign(members.size(), pending_step::answer::lease_lost);
  using key = std::pair<std::string_view, std::string_view>;
  std::map<key, std::size_t> by_name;
  for (std::size_t i = 0; i < members.size(); ++i) {
    by_name.emplace(key(members[i]->job->id, members[i]->name), i);
  }
  for (int row = 0; row < answer.rows(); ++row) {
    const auto what = answer.get(row, 1);
    if (what == "stored") {
      answers.at(by_name.at({answer.get(row, 2), answer.get(row, 3)})) =
          pending_step::answer::stored;
      continue;
    }
    auto& found = answers.at(static_cast<std::size_t>(answer.get_int(row, 0) - 1));
    if (found == pending_step::answer::stored) continue;
    found = what == "held" ? pending_step::answer::exists : pending_step::answer::none;
  }
}

step_writer::step_writer(asio::io_context& io, pg::session& session)
    : io_(io),
      session_(session),
      arrived_(io.get_executor()),
      settings_(queries::write_settings.statement()),
      lock_timeout_(queries::lock_timeout.statement()),
      begin_(queries::begin.statement()),
      own_search_path_(queries::own_search_path.statement()),
      commit_(queries::commit.statement()),
      rollback_(queries::rollback.statement()) {}

void step_writer::add(step_ptr step) {
  queue_.add(std::move(step));
  arrived_.set();
  if (std::exchange(started_, true)) return;
  asio::co_spawn(io_, run(), [](const std::exception_ptr& thrown) {
    if (thrown) std::rethrow_exception(thrown);
  });
}

asio::awaitable<void> step_writer::run() {
  for (;;) {
    const auto now = step_queue::clock::now();
    const auto next = std::min(queue_.next_due(), now + std::chrono::hours{1});
    if (next > now) co_await arrived_.wait_for(next - now);
    for (auto& steps : queue_.due(step_queue::clock::now())) co_await write(std::move(steps));
  }
}

asio::awaitable<void> step_writer::write(step_queue::batch steps) {
  std::string sqlstate, reason;
  try {
    co_await try_write(steps);
    pauses_ = {};
    co_return;
  } catch (const pg::query_error& e) {
    const bool effects = std::any_of(steps.begin(), steps.end(), carries_effects);
    sqlstate = effects ? effect_sqlstate(e) : e.sqlstate();
    reason = e.what();
  } catch (const pg::error&) {
    sqlstate = "08006";
  }
  const auto now = step_queue::clock::now();
  const auto what = pg::classify(sqlstate);
  if (what == pg::error_class::connection) {
    queue_.again(steps, now, pauses_.next(rng_));
  } else {
    queue_.refused(steps, what == pg::error_class::permanent, reason, now);
  }
}

/// Steps without effects take one round trip; with effects a second one runs those of the steps
/// that were inserted, and commits.
asio::awaitable<void> step_writer::try_write(const step_queue::batch& steps) {
  std::vector<group> groups;
  for (const auto& step : steps) {
    auto found = std::find_if(groups.begin(), groups.end(),
                              [&](const group& g) { return g.lane == step->job->lane; });
    if (found == groups.end()) found = groups.insert(groups.end(), group{step->job->lane, {}, {}});
    found->members.push_back(step);
  }
  // Rows are locked in the order of their ids, as everywhere.
  for (auto& g : groups) {
    std::stable_sort(g.members.begin(), g.members.end(),
                     [](const auto& a, const auto& b) { return a->job->id < b->job->id; });
  }
  const bool effects = std::any_of(steps.begin(), steps.end(), carries_effects);
  auto turn = co_await session_.acquire();
  auto calls = pg::together(pg::with(settings_), pg::with(lock_timeout_, lock_timeout));
  if (effects) calls.insert(calls.begin(), pg::with(begin_));
  const auto first = calls.size();
  for (const auto& g : groups) calls.push_back(g.call());
  std::exception_ptr trouble;
  try {
    const auto answers = co_await turn->run(std::move(calls));
    for (std::size_t i = 0; i < groups.size(); ++i) groups[i].read(answers[first + i]);
    if (effects) co_await run_effects(turn, groups);
  } catch (const pg::query_error&) {
    trouble = std::current_exception();
  }
  if (trouble) {
    if (effects) co_await turn->run(pg::together(pg::with(rollback_)));
    std::rethrow_exception(trouble);
  }
  answer_steps(groups);
}

asio::awaitable<void> step_writer::run_effects(pg::session::turn& turn,
                                               const std::vector<group>& groups) {
  effect_calls statements;
  auto calls = pg::together(pg::with(own_search_path_));
  for (const auto& g : groups) {
    for (std::size_t i = 0; i < g.members.size(); ++i) {
      if (g.answers[i] != pending_step::answer::stored) continue;
      statements.append_to(calls, g.members[i]->given.effects);
    }
  }
  calls.push_back(pg::with(commit_));
  co_await turn->run(std::move(calls));
}

void step_writer::answer_steps(const std::vector<group>& groups) {
  const auto now = step_queue::clock::now();
  for (const auto& g : groups) {
    for (std::size_t i = 0; i < g.members.size(); ++i) {
      const auto& step = g.members[i];
      if (g.answers[i] == pending_step::answer::none) {
        queue_.again({step}, now, pause_for_a_lock);
        continue;
      }
      // Even if the handler left meanwhile: it may ask for the step again.
      if (g.answers[i] == pending_step::answer::stored && step->job->steps) {
        step->job->steps->emplace(step->name, step->given.value);
      }
      step->answer_with(g.answers[i]);
    }
  }
}

}  // namespace rowrunner
