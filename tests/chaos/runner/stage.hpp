#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <random>
#include <string>

#include "chaos/runner/arena.hpp"
#include "chaos/runner/enqueuers.hpp"
#include "chaos/runner/fleet.hpp"
#include "chaos/runner/history.hpp"
#include "chaos/runner/outside.hpp"

namespace rowrunner::chaos {

/// The defaults of the engine, which the run is about.
constexpr std::chrono::milliseconds lease{10'000};
constexpr std::chrono::milliseconds grace{8'000};
/// Two polls: one to find what has expired, one to find what was put back.
constexpr std::chrono::milliseconds sweep{2'000};
/// All waits of a job that fails as often as it may (4 attempts: 1 + 2 + 4 s), and the longest run
/// of a handler that is begun shortly before the end.
constexpr std::chrono::milliseconds retries{7'000 + 4'000};

/// While more than this is left, a run can afford what takes five leases, and crowds.
constexpr std::chrono::seconds long_run{120};

/// What a fault has to do with.
class stage {
 public:
  stage(std::string records, const history& notes, arena& there, fleet& running,
        enqueuers& applications, image_server& outside)
      : folder(std::move(records)),
        record(notes),
        ground(there),
        workers(running),
        enqueuing(applications),
        images(outside) {}

  const std::string folder;
  const history& record;
  arena& ground;
  fleet& workers;
  enqueuers& enqueuing;
  image_server& images;

  /// Gives every worker something to do for the next seconds, so that a fault that costs a lease
  /// costs jobs.
  void fill();
  /// At least that long, and until others have begun to run what was this worker's, or half a
  /// minute more has passed. Then so much longer that they may have done so. Also when there are to
  /// be no more faults: one that is undone too early has shown nothing.
  void pause_until_taken_over(const std::string& worker, std::chrono::milliseconds at_least,
                              std::chrono::milliseconds then = std::chrono::milliseconds{1'500});
  /// True while there are to be faults. Waits for at most that long.
  bool pause(std::chrono::milliseconds time);
  bool raging();
  std::chrono::milliseconds time_left();
  void begin(std::chrono::milliseconds for_how_long);
  void calm();

 private:
  std::mutex mutex_;
  std::condition_variable calmed_;
  bool over_ = false;
  std::chrono::steady_clock::time_point until_{};
};

}  // namespace rowrunner::chaos
