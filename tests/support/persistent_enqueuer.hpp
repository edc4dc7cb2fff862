#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace rowrunner::testing {

/// An application that enqueues one test job after the other through the library, on a connection
/// that it makes again when it is lost, and remembers which were acknowledged.
class persistent_enqueuer {
 public:
  persistent_enqueuer(std::string url, std::string prefix);
  ~persistent_enqueuer() { stop(); }
  persistent_enqueuer(const persistent_enqueuer&) = delete;
  persistent_enqueuer& operator=(const persistent_enqueuer&) = delete;

  /// Waits for it; false if it does not come to that within a minute.
  bool acknowledged_more_than(std::size_t jobs);
  /// The names of the jobs whose COMMIT was answered.
  std::vector<std::string> acknowledged() const;
  int connections() const;

  void stop();

 private:
  void run();
  void enqueue_until_trouble();
  bool stopping() const;

  const std::string url_;
  const std::string prefix_;
  int next_ = 0;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> acknowledged_;
  int connections_ = 0;
  bool stopping_ = false;

  std::thread thread_;
};

}  // namespace rowrunner::testing
