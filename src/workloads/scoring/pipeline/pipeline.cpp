#include "workloads/scoring/pipeline/pipeline.hpp"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/experimental/parallel_group.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "workloads/scoring/question_board.hpp"

namespace rowrunner::scoring {

namespace {

constexpr std::size_t writer_bound = 100;

std::size_t twice(int concurrency) { return 2 * static_cast<std::size_t>(concurrency); }

}  // namespace

pipeline::pipeline(const job& of, chunk_plan what, chunk_parts with)
    : self(of),
      plan(std::move(what)),
      parts(std::move(with)),
      chunk_name(chunk_id(plan.number)),
      waiting(parts.engine.executor()),
      invoke(parts.engine.executor(), twice(plan.config.concurrency)),
      validation(parts.engine.executor(), twice(plan.config.concurrency)),
      writer(parts.engine.executor(), writer_bound),
      known(parts.engine.executor(), writer_bound),
      most_open(4 * plan.config.concurrency),
      fewer_open(parts.engine.executor()) {
  for (const auto& each : plan.blocks) checks.push_back(std::make_unique<answer_check>(*each));
}

pipeline::~pipeline() {
  for (const auto& key : held_keys) parts.questions->give_up(key);
}

void pipeline::task_ended() {
  --open;
  fewer_open.wake_one();
  if (all_produced && open == 0) waiting.close();
}

void pipeline::give_up_question(const task_payload& task) {
  if (held_keys.erase(task.cache_key) > 0) parts.questions->give_up(task.cache_key);
}

void pipeline::stop(std::string reason, bool for_good) {
  if (stopping()) return;
  report.stopped = std::move(reason);
  report.stopped_for_good = for_good;
  waiting.hurry();
}

asio::awaitable<void> fail_task(pipeline& all, task_payload task, std::string reason) {
  all.give_up_question(task);
  const std::string whole = task.place() + ": " + reason;
  if (all.report.failed++ == 0) all.report.first_failure = whole;
  if (all.plan.config.keep_going || task.calls > 0) {
    auto item = item_of(task);
    if (all.plan.config.keep_going) item.failure = std::move(reason);
    co_await all.writer.push(std::move(item));
  }
  all.task_ended();
}

asio::awaitable<void> drop_task(pipeline& all, task_payload task) {
  all.give_up_question(task);
  if (task.calls > 0) co_await all.writer.push(item_of(task));
  all.task_ended();
}

asio::awaitable<void> run_stages(std::shared_ptr<pipeline> all) {
  const auto executor = all->parts.engine.executor();
  all->invokers_left = all->plan.config.concurrency;
  // The last one hands on what was known.
  all->validators_left = all->parts.cpu_threads + 1;

  using stage = decltype(asio::co_spawn(executor, run_writer(all), asio::deferred));
  std::vector<stage> stages;
  stages.push_back(asio::co_spawn(executor, run_producer(all), asio::deferred));
  stages.push_back(asio::co_spawn(executor, run_feeder(all), asio::deferred));
  for (int i = 0; i < all->invokers_left; ++i) {
    stages.push_back(asio::co_spawn(executor, run_invoker(all), asio::deferred));
  }
  for (int i = 0; i < all->parts.cpu_threads; ++i) {
    stages.push_back(asio::co_spawn(executor, run_validator(all), asio::deferred));
  }
  stages.push_back(asio::co_spawn(executor, run_known(all), asio::deferred));
  stages.push_back(asio::co_spawn(executor, run_writer(all), asio::deferred));

  auto group = asio::experimental::make_parallel_group(std::move(stages));
  // The first exception, or a stop of the job, ends all stages.
  const asio::experimental::wait_for_one_error until;
  const auto [order, thrown] = co_await group.async_wait(until, asio::use_awaitable);
  for (const auto which : order) {
    if (thrown[which]) std::rethrow_exception(thrown[which]);
  }
}

asio::awaitable<chunk_report> run_pipeline(const job& of, chunk_plan what, chunk_parts with) {
  const auto all = std::make_shared<pipeline>(of, std::move(what), std::move(with));
  co_await run_stages(all);
  co_return all->report;
}

}  // namespace rowrunner::scoring
