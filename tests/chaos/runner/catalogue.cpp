#include "chaos/runner/catalogue.hpp"

#include <algorithm>
#include <iterator>
#include <stdexcept>

namespace rowrunner::chaos {

using std::chrono::milliseconds;

namespace {

/// After a fault that costs a lease there must be time for the lease to run out.
constexpr milliseconds a_lease = lease + milliseconds{1'500};

constexpr fault catalogue[] = {
    // These open every run: the first two take long, and it proves nothing without them.
    {2, "zombie", 3, a_lease, stop_worker},
    {10, "half-open", 3, a_lease, stall_past_lease},
    {6, "lost-commit", 6, milliseconds{2'000}, lose_commits},
    {1, "kill", 10, milliseconds{0}, kill_worker},
    {5, "lost-answer", 6, milliseconds{2'000}, lose_answers},
    {4, "crash", 2, milliseconds{3'000}, crash_server},
    {20, "term", 3, milliseconds{2'000}, terminate_worker},
    // In any order.
    {3, "backend", 3, milliseconds{0}, terminate_backends},
    {7, "hoard", 2, milliseconds{1'000}, hoard_connections},
    {1, "lost-enqueue", 3, milliseconds{1'000}, cut_enqueuers},
    {10, "stall", 2, milliseconds{1'000}, stall_briefly},
    {2, "late-write", 2, a_lease + milliseconds{6'500}, write_late},
    {2, "late-cancel", 1, a_lease + milliseconds{8'500}, cancel_late},
    {10, "edge", 1, a_lease + milliseconds{1'000}, heal_before_lease_ends},
    {13, "server-clock", 1, milliseconds{17'000}, jump_server_clock},
    {10, "cut", 3, milliseconds{0}, break_connections},
    {11, "latency", 2, milliseconds{1'000}, slow_network},
    {24, "wake-up", 2, milliseconds{1'000}, lose_wake_ups},
    {22, "table-lock", 1, milliseconds{1'000}, lock_table},
    {22, "row-locks", 2, milliseconds{500}, lock_rows},
    {22, "deadlock", 2, milliseconds{500}, make_deadlocks},
    {22, "statement-timeout", 1, milliseconds{2'000}, limit_statements},
    {22, "serializable", 1, milliseconds{2'000}, make_serializable},
    {23, "held-xmin", 1, milliseconds{1'000}, hold_xmin},
    {15, "slow-job", 1, 2 * a_lease, add_slow_job},
    {16, "crash-job", 2, a_lease, add_crashing_job},
    {16, "poison-job", 1, 5 * a_lease, add_poison_job},
    {17, "hang-job", 1, milliseconds{4'000}, add_hanging_job},
    {18, "poison", 1, milliseconds{0}, add_poison_payloads},
    {19, "storm", 1, milliseconds{1'000}, storm_of_duplicates},
    {2, "cancel", 3, milliseconds{0}, cancel_and_requeue},
    {25, "outside-down", 1, milliseconds{1'000}, image_server_down},
};

constexpr std::ptrdiff_t opening = 7;

}  // namespace

std::span<const fault> all_faults() { return catalogue; }

deck::deck(std::uint64_t seed, const std::vector<std::string>& names) : rng_(seed) {
  for (const auto& each : catalogue) {
    if (names.empty() || std::find(names.begin(), names.end(), each.name) != names.end()) {
      known_.push_back(&each);
    }
  }
  for (const auto& name : names) {
    if (std::none_of(known_.begin(), known_.end(),
                     [&](const fault* each) { return each->name == name; })) {
      throw std::invalid_argument("there is no fault " + name);
    }
  }
}

void deck::shuffle() {
  for (const auto* each : known_) {
    cards_.insert(cards_.end(), static_cast<std::size_t>(first_ ? 1 : each->weight), each);
  }
  std::shuffle(cards_.begin() + (first_ ? std::min(opening, std::ssize(cards_)) : 0), cards_.end(),
               rng_);
  std::reverse(cards_.begin(), cards_.end());  // dealt from the back
  first_ = false;
}

const fault* deck::deal(milliseconds time_left) {
  for (int round = 0; round < 2; ++round) {
    for (auto card = cards_.rbegin(); card != cards_.rend(); ++card) {
      if ((*card)->needs > time_left) continue;
      const auto* chosen = *card;
      cards_.erase(std::next(card).base());
      return chosen;
    }
    // What is left needs more time than there is.
    cards_.clear();
    shuffle();
  }
  return nullptr;
}

}  // namespace rowrunner::chaos
