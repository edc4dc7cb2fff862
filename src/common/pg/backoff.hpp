#pragma once

#include <chrono>
#include <random>

namespace rowrunner::pg {

/// How long to wait before the next attempt: a random time under a ceiling that doubles with each
/// attempt ("full jitter"), so that many workers do not come back to a restarted server in step.
class backoff {
 public:
  using milliseconds = std::chrono::milliseconds;

  static constexpr milliseconds shortest{50};
  static constexpr milliseconds first_ceiling{100};
  static constexpr milliseconds last_ceiling{5000};

  milliseconds next(std::mt19937_64& rng);
  void reset() { ceiling_ = first_ceiling; }

 private:
  milliseconds ceiling_ = first_ceiling;
};

}  // namespace rowrunner::pg
