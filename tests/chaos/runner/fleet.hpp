#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "chaos/runner/history.hpp"
#include "support/process.hpp"

namespace rowrunner::chaos {

/// How one worker process is started, again and again.
struct worker_plan {
  /// Its name is SLOT.N in its N-th life; its link in the proxy is SLOT.
  std::string slot;
  std::vector<std::string> argv;
  testing::process_environment environment;
  /// A fault of this one tells most: its handlers write to the history, and it is seldom idle.
  bool telling = false;
};

/// The worker processes, and the supervisor that starts those anew that have ended. From any
/// thread.
class fleet {
 public:
  fleet(std::vector<worker_plan> plans, const history& record, std::string log_folder);
  ~fleet();
  fleet(const fleet&) = delete;
  fleet& operator=(const fleet&) = delete;

  std::size_t size() const { return workers_.size(); }
  const std::string& slot(std::size_t index) const { return workers_[index]->plan.slot; }

  /// A living worker that no other fault has in hand. Give it back. `telling`: one of those.
  std::optional<std::size_t> take(std::mt19937_64& rng, bool telling = false);
  /// The one whose process has this name, as in locked_by, if it lives and nobody has it in hand.
  std::optional<std::size_t> take_named(const std::string& worker);
  void give_back(std::size_t index);

  /// Each notes what it does under the name of the process that it did it to: kill, stop, cont,
  /// term. Only a process that was stopped is continued, and not the next one in its slot.
  void signal(std::size_t index, int number);
  bool ended(std::size_t index);
  /// Of its process, as in locked_by.
  std::string name(std::size_t index);

  /// Notes how large each process is.
  void measure();
  /// Ends all of them, in the orderly way.
  void shut_down();

 private:
  struct slot_state {
    worker_plan plan;
    std::mutex mutex;
    std::unique_ptr<testing::child_process> process;
    int life = 0;
    int stopped_life = 0;
    bool taken = false;
    std::chrono::steady_clock::time_point start_at{};

    std::string name() const { return plan.slot + "." + std::to_string(life); }
  };

  bool enough_left() const;
  void supervise();
  void look_after(slot_state& one);
  void start(slot_state& one);

  const history& record_;
  std::string log_folder_;
  std::vector<std::unique_ptr<slot_state>> workers_;
  std::mutex taking_;
  /// Who has ended is not started again.
  std::atomic<bool> ending_ = false;
  std::atomic<bool> stopping_ = false;
  std::thread supervisor_;
};

}  // namespace rowrunner::chaos
