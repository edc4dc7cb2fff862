#pragma once

#include <chrono>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "chaos/runner/stage.hpp"

namespace rowrunner::chaos {

/// A fault, and how it is made. It heals what it has done before it returns, and returns early when
/// the stage calms down.
struct fault {
  /// Its number in the catalogue of docs/reliability.md.
  int number;
  std::string_view name;
  /// How often it is drawn, compared to the others.
  int weight;
  /// It is only begun if so much time is left.
  std::chrono::milliseconds needs;
  void (*make)(stage& on, std::mt19937_64& rng);
};

std::span<const fault> all_faults();

/// Draws faults as a deck of cards is dealt: each comes before any comes more often than its weight
/// says. From one thread at a time.
class deck {
 public:
  /// Of the faults of these names, or of all. Throws std::invalid_argument for an unknown name.
  deck(std::uint64_t seed, const std::vector<std::string>& names);

  /// One that still fits into the time that is left, or null.
  const fault* deal(std::chrono::milliseconds time_left);

 private:
  void shuffle();

  std::mt19937_64 rng_;
  std::vector<const fault*> known_;
  std::vector<const fault*> cards_;
  bool first_ = true;
};

// The faults, by what they are made with.
void kill_worker(stage& on, std::mt19937_64& rng);
void stop_worker(stage& on, std::mt19937_64& rng);
void terminate_worker(stage& on, std::mt19937_64& rng);
void terminate_backends(stage& on, std::mt19937_64& rng);
void crash_server(stage& on, std::mt19937_64& rng);
void hoard_connections(stage& on, std::mt19937_64& rng);
void lose_answers(stage& on, std::mt19937_64& rng);
void lose_commits(stage& on, std::mt19937_64& rng);
void cut_enqueuers(stage& on, std::mt19937_64& rng);
void stall_past_lease(stage& on, std::mt19937_64& rng);
void stall_briefly(stage& on, std::mt19937_64& rng);
void break_connections(stage& on, std::mt19937_64& rng);
void slow_network(stage& on, std::mt19937_64& rng);
void lose_wake_ups(stage& on, std::mt19937_64& rng);
void write_late(stage& on, std::mt19937_64& rng);
void cancel_late(stage& on, std::mt19937_64& rng);
void heal_before_lease_ends(stage& on, std::mt19937_64& rng);
void jump_server_clock(stage& on, std::mt19937_64& rng);
void lock_table(stage& on, std::mt19937_64& rng);
void lock_rows(stage& on, std::mt19937_64& rng);
void make_deadlocks(stage& on, std::mt19937_64& rng);
void limit_statements(stage& on, std::mt19937_64& rng);
void make_serializable(stage& on, std::mt19937_64& rng);
void hold_xmin(stage& on, std::mt19937_64& rng);
void add_slow_job(stage& on, std::mt19937_64& rng);
void add_crashing_job(stage& on, std::mt19937_64& rng);
void add_poison_job(stage& on, std::mt19937_64& rng);
void add_hanging_job(stage& on, std::mt19937_64& rng);
void add_poison_payloads(stage& on, std::mt19937_64& rng);
void storm_of_duplicates(stage& on, std::mt19937_64& rng);
void cancel_and_requeue(stage& on, std::mt19937_64& rng);
void image_server_down(stage& on, std::mt19937_64& rng);

}  // namespace rowrunner::chaos
