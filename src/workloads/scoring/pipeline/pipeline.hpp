#pragma once

#include <boost/asio/awaitable.hpp>
#include <memory>
#include <optional>
#include <rowrunner/job.hpp>
#include <rowrunner/services.hpp>
#include <set>
#include <string>
#include <vector>

#include "common/offload.hpp"
#include "workloads/scoring/models/model.hpp"
#include "workloads/scoring/pipeline/answer_check.hpp"
#include "workloads/scoring/pipeline/call_gate.hpp"
#include "workloads/scoring/pipeline/channel.hpp"
#include "workloads/scoring/pipeline/delayed_queue.hpp"
#include "workloads/scoring/pipeline/task.hpp"
#include "workloads/scoring/run_config.hpp"

// A chunk on its way through four stages, each in a file of its own:
//
//   producer → invoke (2 × concurrency) → invokers → validation → validators → writer (100) →
//   writer
//
// All stages are coroutines of the engine's thread; what computes runs on the threads of `cpu`. A
// task that is asked for again, or whose question was looked up, goes to `waiting`, which never
// makes those who add wait, until its time has come, and from there through the feeder into
// `invoke`. So `waiting` is closed when the producer has ended and no task is open; then the feeder
// closes `invoke`, the last of the invokers `validation`, and so on.

namespace rowrunner::limits {
class service;
}

namespace rowrunner::scoring {

class question_board;
class budget;

/// What a chunk is about.
struct chunk_plan {
  std::string run_id;
  int number = 0;
  int row_start = 0;
  int row_end = 0;
  run_config config;
  std::string system_prompt;
  std::vector<std::shared_ptr<const block>> blocks;
  /// Flushes of earlier attempts: names of steps are not used twice.
  int flushes = 0;
  /// Blocks that are done already.
  int done = 0;
};

/// What a chunk uses, and shares with the others of this process.
struct chunk_parts {
  services& engine;
  scoring::model& model;
  /// Shared with coroutines that Asio may destroy after the handler.
  std::shared_ptr<call_gate> gate;
  offload cpu;
  int cpu_threads = 1;
  /// Nothing for a model that costs nothing.
  std::shared_ptr<question_board> questions{};
  std::shared_ptr<scoring::budget> budget{};
  /// The limits that all workers share, and the model's key there.
  limits::service* limits = nullptr;
  std::string limit_key{};
};

/// What came of a chunk. Everything that could be scored is written by then.
struct chunk_report {
  /// (row, block)s that could not be scored, and the first of them with its reason.
  int failed = 0;
  std::string first_failure{};
  /// Why nothing more was asked for.
  std::string stopped{};
  /// The reason stays until a person does something about it.
  bool stopped_for_good = false;
};

/// What the stages share. It has a copy of the job, because Asio may destroy suspended coroutines
/// in any order.
struct pipeline {
  pipeline(const job& of, chunk_plan what, chunk_parts with);
  ~pipeline();
  pipeline(const pipeline&) = delete;
  pipeline& operator=(const pipeline&) = delete;

  job self;
  const chunk_plan plan;
  chunk_parts parts;
  std::string chunk_name;
  /// One for each block.
  std::vector<std::unique_ptr<const answer_check>> checks;

  struct answered_task {
    task_payload task;
    reply answer;
  };
  delayed_queue<task_payload> waiting;
  channel<task_payload> invoke;
  channel<answered_task> validation;
  channel<written_item> writer;

  /// Answers that were known already, on their way to the writer.
  channel<written_item> known;

  /// Tasks that the producer has made and that are neither written nor failed, and how many of them
  /// there may be.
  int open = 0;
  const int most_open;
  wait_list fewer_open;
  /// Questions that others wait for.
  std::set<std::string> held_keys;
  bool all_produced = false;
  int invokers_left = 0;
  int validators_left = 0;
  chunk_report report;

  void task_ended();
  /// The task has no answer that others could use.
  void give_up_question(const task_payload& task);
  /// No more questions; what is answered is still written.
  void stop(std::string reason, bool for_good);
  bool stopping() const noexcept { return !report.stopped.empty(); }
};

asio::awaitable<void> run_producer(std::shared_ptr<pipeline> all);
/// Hands on what was known. Only for models that are paid.
asio::awaitable<void> run_known(std::shared_ptr<pipeline> all);
asio::awaitable<void> run_feeder(std::shared_ptr<pipeline> all);
asio::awaitable<void> run_invoker(std::shared_ptr<pipeline> all);
asio::awaitable<void> run_validator(std::shared_ptr<pipeline> all);
asio::awaitable<void> run_writer(std::shared_ptr<pipeline> all);

/// The task cannot be scored: noted in the run, if it keeps going, and in the report.
asio::awaitable<void> fail_task(pipeline& all, task_payload task, std::string reason);
/// The task is not asked any more, as the chunk stops. What it has cost is counted.
asio::awaitable<void> drop_task(pipeline& all, task_payload task);

/// All stages, to their end.
asio::awaitable<void> run_stages(std::shared_ptr<pipeline> all);
asio::awaitable<chunk_report> run_pipeline(const job& of, chunk_plan what, chunk_parts with);

}  // namespace rowrunner::scoring
