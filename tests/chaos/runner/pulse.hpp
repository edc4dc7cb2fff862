#pragma once

#include <atomic>
#include <thread>

#include "chaos/runner/arena.hpp"
#include "chaos/runner/history.hpp"

namespace rowrunner::chaos {

/// Commits a row several times a second, past all faults but those of the server, and notes when
/// that took far longer than it should: then the machine had other things to do, and what a worker
/// missed meanwhile tells nothing about the engine.
///   runner slow MS     for the last so many milliseconds
class pulse {
 public:
  pulse(const arena& ground, const history& record);
  ~pulse();
  pulse(const pulse&) = delete;
  pulse& operator=(const pulse&) = delete;

 private:
  void beat();

  const arena& ground_;
  const history& record_;
  std::atomic<bool> stopping_ = false;
  std::thread thread_;
};

}  // namespace rowrunner::chaos
