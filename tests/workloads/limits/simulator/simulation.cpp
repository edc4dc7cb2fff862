#include "simulator/simulation.hpp"

#include <list>

#include "simulator/replica.hpp"

namespace rowrunner::limits::testing {

int outcome::total_sent() const {
  int sum = 0;
  for (const auto& each : seconds) sum += each.sent;
  return sum;
}

double outcome::rejected_share() const {
  int rejected = 0;
  for (const auto& each : seconds) rejected += each.rejected;
  return static_cast<double>(rejected) / std::max(1, total_sent());
}

double outcome::use(double from, double to) const {
  double accepted = 0;
  double capacity = 0;
  for (std::size_t i = 0; i < seconds.size(); ++i) {
    if (static_cast<double>(i) < from || static_cast<double>(i) >= to) continue;
    accepted += seconds[i].sent - seconds[i].rejected;
    capacity += seconds[i].capacity;
  }
  return accepted / capacity;
}

double outcome::reached() const {
  for (std::size_t i = 3; i <= seconds.size(); ++i) {
    if (use(static_cast<double>(i - 3), static_cast<double>(i)) >= 0.9) {
      return static_cast<double>(i);
    }
  }
  return 1e9;
}

outcome simulate(const scenario& of) {
  world all(of);
  all.seen.seconds.resize(static_cast<std::size_t>(of.seconds) + 1);
  for (std::size_t i = 0; i < all.seen.seconds.size(); ++i) {
    all.seen.seconds[i].capacity = of.rate(static_cast<double>(i) + 0.5);
  }
  std::list<replica> replicas;
  for (int i = 0; i < of.replicas; ++i) {
    const auto [comes, goes] = of.lifetime(i);
    auto& one = replicas.emplace_back(all, i, seconds_from(goes));
    // Not all processes of a fleet start in the same moment.
    all.time.at(seconds_from(comes + 0.5 * all.uniform()), [&one] { one.step(); });
  }
  all.time.run_until(seconds_from(of.seconds));
  all.seen.seconds.pop_back();
  return std::move(all.seen);
}

}  // namespace rowrunner::limits::testing
