#pragma once

#include <string>
#include <vector>

#include "support/watched_database.hpp"

namespace rowrunner::testing {

/// A database with a job table of its own, `test_jobs` of kind `test`: what a job does is in
/// its columns action, ms and times (see test_handler.hpp). `effects` takes one row per effect,
/// `history` every change of status, so that a test can ask what really happened; the view
/// `violations` is what is wrong with it.
class jobs_database : public watched_database {
 public:
  jobs_database();

  /// Adds one job and gives its id.
  std::string add(const std::string& name, const std::string& action = "ok", int ms = 0,
                  int times = 0, int max_attempts = 3);

  std::string status(const std::string& name);

  bool reaches(const std::string& name, const std::string& wanted) {
    return becomes("SELECT status FROM test_jobs WHERE name = '" + name + "'", wanted);
  }

  /// What is wrong, one sentence each: the invariants that hold at every moment (every waiting job
  /// has an entry, every running one a lease, attempts are bounded, effects and ends happen once,
  /// no lease is used twice).
  std::vector<std::string> violations();
};

}  // namespace rowrunner::testing
