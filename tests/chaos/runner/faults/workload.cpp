// Faults of the work itself: handlers that misbehave, payloads that should not be, people who
// change their minds, and the server outside.

#include "chaos/runner/catalogue.hpp"
#include "chaos/runner/faults/borrowed.hpp"
#include "chaos/runner/faults/requests.hpp"

namespace rowrunner::chaos {

using namespace std::chrono_literals;

void add_slow_job(stage& on, std::mt19937_64&) {
  on.enqueuing.add("chaos", on.time_left() > long_run ? "sloth" : "slow");
}

void add_crashing_job(stage& on, std::mt19937_64& rng) {
  on.enqueuing.add(rng() % 4 == 0 ? "chaos_blocking" : "chaos", "crash");
}

void add_poison_job(stage& on, std::mt19937_64&) { on.enqueuing.add("chaos", "poison"); }

void add_hanging_job(stage& on, std::mt19937_64&) { on.enqueuing.add("chaos_blocking", "hang"); }

void add_poison_payloads(stage& on, std::mt19937_64&) { on.enqueuing.add_poison(on.folder); }

void storm_of_duplicates(stage& on, std::mt19937_64&) {
  on.enqueuing.storm(on.time_left() > long_run ? 200 : 40, on.ground.pooled_url());
}

void cancel_and_requeue(stage& on, std::mt19937_64& rng) {
  try {
    const int at_most = 1 + static_cast<int>(rng() % 4);
    cancel_some(on, "status IN ('queued', 'processing')", at_most);
    requeue_some(on, "status IN ('failed', 'cancelled')", at_most);
  } catch (const pqxx::failure&) {
    // The server is away.
  }
  on.pause(between(rng, 50, 300));
}

void image_server_down(stage& on, std::mt19937_64& rng) {
  on.images.set(image_server::mood::down);
  on.pause(between(rng, 1'000, 3'000));
  on.images.set(image_server::mood::seeded);
}

}  // namespace rowrunner::chaos
