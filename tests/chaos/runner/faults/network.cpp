// Faults between workers and the database, made by the proxy.

#include <array>

#include "chaos/runner/catalogue.hpp"
#include "chaos/runner/faults/borrowed.hpp"

namespace rowrunner::chaos {

using namespace std::chrono_literals;

namespace {

/// Words that occur in the names and texts of a worker's writes: ends, claims, steps, releases.
constexpr std::array<const char*, 5> writes{"succeed", "fail", "claim", "store", "release"};

/// Cuts the connection at the next few commits of one worker, and leaves it time to find out what
/// came of them.
void cut_commits(stage& on, std::mt19937_64& rng, const std::string& way) {
  const borrowed_worker one(on, rng, should_tell(on, rng));
  if (!one) return;
  auto& proxy = on.ground.proxy();
  for (const std::string about : writes) {
    proxy.tell("cut " + one.slot() + " " + way + " commit " + std::to_string(1 + rng() % 2) + " " +
               about);
  }
  on.pause(between(rng, 1'500, 3'000));
  proxy.tell("heal " + one.slot());
  on.pause(1s);
}

}  // namespace

void lose_answers(stage& on, std::mt19937_64& rng) { cut_commits(on, rng, "to-client"); }
void lose_commits(stage& on, std::mt19937_64& rng) { cut_commits(on, rng, "to-server"); }

void cut_enqueuers(stage& on, std::mt19937_64& rng) {
  const std::string way = rng() % 2 == 0 ? "to-server" : "to-client";
  const std::string whom = rng() % 3 == 0 ? "relatives" : "enqueuers";
  on.ground.proxy().tell("cut " + whom + " " + way + " commit " + std::to_string(1 + rng() % 5));
  on.pause(between(rng, 500, 1'500));
  on.ground.proxy().tell("heal " + whom);
}

void stall_past_lease(stage& on, std::mt19937_64& rng) {
  on.fill();
  const borrowed_worker one(on, rng, should_tell(on, rng));
  if (!one) return;
  const noted_impairment noted(on, one.slot());
  on.ground.proxy().tell("stall " + one.slot());
  on.pause_until_taken_over(one.name(), lease + between(rng, 500, 2'500));
  on.ground.proxy().tell("heal " + one.slot());
}

void stall_briefly(stage& on, std::mt19937_64& rng) {
  const borrowed_worker one(on, rng);
  if (!one) return;
  const noted_impairment noted(on, one.slot());
  on.ground.proxy().tell("stall " + one.slot());
  on.pause(between(rng, 500, 4'000));
  on.ground.proxy().tell("heal " + one.slot());
}

void break_connections(stage& on, std::mt19937_64& rng) {
  const borrowed_worker one(on, rng);
  if (!one) return;
  const std::string bytes = std::to_string(rng() % 2'000);
  const std::array<std::string, 4> ways{"reset " + one.slot(), "half-close " + one.slot(),
                                        "cut-bytes " + one.slot() + " to-server " + bytes,
                                        "cut-bytes " + one.slot() + " to-client " + bytes};
  on.ground.proxy().tell(ways[rng() % ways.size()]);
  on.pause(between(rng, 100, 800));
  on.ground.proxy().tell("heal " + one.slot());
}

void slow_network(stage& on, std::mt19937_64& rng) {
  const borrowed_worker one(on, rng);
  if (!one) return;
  const std::string how = rng() % 3 == 0
                              ? "drip " + one.slot() + " 100 1"
                              : "delay " + one.slot() + " " + std::to_string(5 + rng() % 150);
  on.ground.proxy().tell(how);
  on.pause(between(rng, 1'500, 5'000));
  on.ground.proxy().tell("heal " + one.slot());
}

void lose_wake_ups(stage& on, std::mt19937_64& rng) {
  const borrowed_worker one(on, rng);
  const borrowed_worker other(on, rng);
  for (const auto* each : {&one, &other}) {
    if (*each) {
      on.ground.proxy().tell("drop " + each->slot() + " to-client NotificationResponse 0");
    }
  }
  on.pause(between(rng, 1'000, 5'000));
  for (const auto* each : {&one, &other}) {
    if (*each) on.ground.proxy().tell("heal " + each->slot());
  }
}

}  // namespace rowrunner::chaos
