// Faults of the work itself: handlers that misbehave, payloads that should not be, people who
// change their minds, and the server outside.

#include "chaos/runner/catalogue.hpp"
#include "chaos/runner/faults/borrowed.hpp"

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

/// Noted before it is asked for: if the answer is lost it may have happened.
void cancel_and_requeue(stage& on, std::mt19937_64& rng) {
  try {
    const auto connection = on.ground.connect();
    pqxx::nontransaction tx(*connection);
    const std::string limit = std::to_string(1 + rng() % 4);
    for (const auto& row : tx.exec("SELECT id, name FROM chaos_jobs WHERE status IN ('queued',"
                                   " 'processing') ORDER BY random() LIMIT " +
                                   limit)) {
      on.record.note("runner cancel " + row[1].as<std::string>());
      tx.exec_params("SELECT rowrunner.cancel('chaos', $1)", row[0].as<std::string>());
    }
    for (const auto& row : tx.exec("SELECT id, name FROM chaos_jobs WHERE status IN ('failed',"
                                   " 'cancelled') ORDER BY random() LIMIT " +
                                   limit)) {
      on.record.note("runner requeue " + row[1].as<std::string>());
      tx.exec_params("SELECT rowrunner.requeue('chaos', $1)", row[0].as<std::string>());
    }
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
