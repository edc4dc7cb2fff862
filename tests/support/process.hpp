#pragma once

#include <regex.h>
#include <sys/types.h>

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace rowrunner::testing {

/// Variables to set in a child; nothing takes one away. All others are inherited.
using process_environment = std::map<std::string, std::optional<std::string>>;

/// A program that runs beside the test, in a process group of its own. It is killed when the object
/// goes, and when the test dies.
class child_process {
 public:
  using milliseconds = std::chrono::milliseconds;

  explicit child_process(const std::vector<std::string>& argv,
                         const process_environment& environment = {},
                         const std::string& directory = {});
  ~child_process();
  child_process(const child_process&) = delete;
  child_process& operator=(const child_process&) = delete;

  pid_t pid() const noexcept { return pid_; }
  /// Does nothing if the process has ended.
  void kill(int signal);

  /// The exit code, 128 + n after signal n, nothing if it still runs when the time is over.
  std::optional<int> wait(milliseconds at_most = milliseconds{60'000});

  /// The first line of stdout or stderr, not returned before, in which the (extended) regular
  /// expression is found. Nothing if the process ends, or the time is over, without one.
  std::optional<std::string> wait_for_output_line(const std::string& regex,
                                                  milliseconds at_most = milliseconds{30'000});

  /// What it has written so far.
  std::string out() const;
  std::string err() const;

 private:
  struct stream {
    std::string text;
    std::size_t looked_at = 0;
  };

  void read(int out, int err);
  void reap();
  std::optional<std::string> next_line(stream& from, const regex_t& wanted);

  pid_t pid_ = -1;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  stream out_;
  stream err_;
  bool closed_ = false;
  std::optional<int> status_;
  std::thread reader_;
  std::thread reaper_;
};

struct process_result {
  int exit_code;
  std::string out;
  std::string err;
};

/// Runs a program to its end. Throws std::runtime_error if it takes longer than a minute.
process_result run_process(const std::vector<std::string>& argv,
                           const process_environment& environment = {},
                           const std::string& directory = {});

}  // namespace rowrunner::testing
