#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "simulator/events.hpp"
#include "simulator/plan_table.hpp"
#include "simulator/provider.hpp"

namespace rowrunner::limits::testing {

/// What is simulated: replicas that always have calls waiting, one service, one database.
struct scenario {
  int replicas = 10;
  double seconds = 300;
  provider::rate_function rate = [](double) { return 10.0; };
  double burst = 10;
  bool headers = false;
  /// The headers tell reset in whole seconds.
  bool coarse = false;
  std::optional<double> retry_after;
  quota known;
  rate_rules rules;
  std::uint64_t seed = 1;
  /// Seconds: the median of an answer; a 429 comes in a tenth of a second.
  double latency = 2;
  /// Seconds of a way to the database; the chance that a statement or its answer is lost.
  double database_delay = 0.002;
  double lost = 0;
  /// The local clocks are wrong by up to so many seconds, and run too fast or slow by so much.
  double skew = 0;
  double drift = 0;
  /// The database does not answer from, to.
  std::vector<std::pair<double, double>> outages;
  /// When replica n comes and goes.
  std::function<std::pair<double, double>(int n)> lifetime = [](int) {
    return std::pair(0.0, 1e9);
  };
  /// One that goes tells nobody, as if killed; what it has under way stays unanswered.
  double tokens_per_call = 0;
};

struct second {
  int sent = 0;
  int rejected = 0;
  double capacity = 0;
  double planned = 0;
};

struct outcome {
  std::vector<second> seconds;
  /// The first 429 with Retry-After.
  std::optional<instant> first_block;
  /// When calls were sent.
  std::vector<instant> sent;
  int most_statements = 0;
  double tokens = 0;
  int most_in_flight = 0;

  int total_sent() const;
  double rejected_share() const;
  /// Of what the service would have taken, from a second on.
  double use(double from = 0, double to = 1e9) const;
  /// The first second at which the last three had nine tenths of the capacity.
  double reached() const;
};

outcome simulate(const scenario& of);

}  // namespace rowrunner::limits::testing
