// Faults of worker processes.

#include <csignal>

#include "chaos/runner/catalogue.hpp"
#include "chaos/runner/faults/borrowed.hpp"

namespace rowrunner::chaos {

using namespace std::chrono_literals;

void kill_worker(stage& on, std::mt19937_64& rng) {
  const borrowed_worker one(on, rng);
  if (!one) return;
  one.signal(SIGKILL);
  on.pause(between(rng, 100, 1'000));
}

/// Stopped past its lease, and back.
void stop_worker(stage& on, std::mt19937_64& rng) {
  on.fill();
  const borrowed_worker one(on, rng, should_tell(on, rng));
  if (!one) return;
  one.signal(SIGSTOP);
  on.pause_until_taken_over(one.name(), lease + between(rng, 500, 3'000));
  one.signal(SIGCONT);
  on.pause(500ms);
}

/// Once, twice, or once and killed while it gives back what it holds.
void terminate_worker(stage& on, std::mt19937_64& rng) {
  const borrowed_worker one(on, rng);
  if (!one) return;
  const auto how = rng() % 4;
  one.signal(SIGTERM);
  if (how == 1) {
    on.pause(between(rng, 100, 1'000));
    one.signal(SIGTERM);
  } else if (how == 2) {
    on.pause(between(rng, 6'400, 7'000));
    one.signal(SIGKILL);
  }
  for (auto waited = 0ms; waited < grace && !one.ended() && on.pause(50ms); waited += 50ms) {
  }
}

}  // namespace rowrunner::chaos
