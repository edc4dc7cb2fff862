#pragma once

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <rowrunner/services.hpp>
#include <rowrunner/worker.hpp>
#include <string>
#include <vector>

/// Runs handlers in unit tests, without a database: on given columns, with every step, progress and
/// effect recorded, a clock in hand, and failures and stops at any await.
///
///   rowrunner::testing::trial trial;
///   trial.columns = {{"picture", "a.png"}, {"width", "200"}};
///   const auto run = trial.run(make_thumbnail);
///   EXPECT_TRUE(run.succeeded());
///   EXPECT_EQ(run.steps.at(0).result, "small/200/a.png");
namespace rowrunner::testing {

/// A step that the handler ran; those that were given as stored are not run.
struct recorded_step {
  std::string name;
  nlohmann::json result;
  std::vector<effect> effects;
};

struct recorded_progress {
  std::int64_t done;
  std::int64_t total;
  std::string message;
};

/// A job that an effect made by enqueue_effect enqueues.
struct recorded_child {
  /// Schema and name, quoted, as in its job_table.
  std::string table;
  std::string id;
  /// The columns that it was given, priority and max_attempts included. Of a job with a delay,
  /// run_at is that delay in ms; of one with a time, the microseconds since 1970.
  std::map<std::string, std::optional<std::string>, std::less<>> columns;
};

/// What came of one attempt.
struct trial_run {
  /// What the handler returned; nothing if it threw.
  std::optional<outcome> returned;
  /// What it threw.
  std::string error;
  /// It ended with job_stopped, or its await was cancelled, after it was told to stop.
  bool stopped = false;
  std::vector<recorded_step> steps;
  std::vector<recorded_progress> progress;
  /// How many times the handler called step, progress, blocking or sleep, and how many statements
  /// it sent to a database of the trial.
  int awaits = 0;

  bool succeeded() const;
  /// Failed: returned so, or threw and was not told to stop.
  bool failed() const;
  /// The effects of the steps that were run, then those of the end.
  std::vector<effect> effects() const;
  /// Those among them that enqueue a job.
  std::vector<recorded_child> children() const;
};

/// One job, tried as often as the test likes. Steps that an attempt stores are stored for the next
/// one, and `attempt` counts up after one that failed, as in the engine.
class trial {
 public:
  using columns_map = std::map<std::string, std::optional<std::string>, std::less<>>;

  std::string id = "00000000-0000-0000-0000-000000000001";
  std::string kind = "test";
  columns_map columns;
  int attempt = 1;
  int max_attempts = 3;
  /// Stored by earlier attempts, by name.
  std::map<std::string, nlohmann::json> stored;
  /// job.now(); job.sleep() moves it and takes no time.
  std::chrono::system_clock::time_point now{};
  /// A handler that awaits something else for longer than this has hung: run() throws.
  std::chrono::milliseconds patience{10'000};

  /// Answers a statement, or throws database_error.
  using answer = std::function<query_result(const std::string& sql, const query_params& params)>;
  /// For `services`: a database that answers so. Its statements are awaits of the run, where
  /// failures and a stop can be injected. It must not outlive the trial.
  std::shared_ptr<rowrunner::database> database(answer answers);

  /// The n-th await of the next run, counted from 1 over step, progress, blocking, sleep and the
  /// statements of database(), throws this error. That of a step throws it when its body has run,
  /// and is not stored: as if the database had refused it. A statement throws it as a
  /// database_error that is not temporary.
  trial& fail_at(int await, std::string error);
  /// At the n-th await the job is told to stop, as by a cancel, a timeout or a lost lease: what is
  /// awaited is cancelled and the stop token set.
  trial& stop_at(int await);

  trial_run run(const coroutine_handler& handler);
  trial_run run(const blocking_handler& handler);

 private:
  class backend;
  class answering_database;

  void conclude(trial_run& run, const backend& of);

  /// Of the attempt that runs.
  std::shared_ptr<backend> running_;
  std::map<int, std::string> failures_;
  int stop_at_ = 0;
};

}  // namespace rowrunner::testing
