#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <rowrunner/run_worker.hpp>
#include <string>
#include <vector>

#include "program/context.hpp"

namespace rowrunner {

/// The flags of a worker as they were given; what is absent comes from the environment, then from
/// the defaults.
struct worker_flags {
  std::vector<std::string> kinds;
  /// N for all kinds, or KIND=N.
  std::vector<std::string> concurrency;
  std::vector<std::string> timeout;
  std::vector<std::string> retry_first;
  std::vector<std::string> retry_cap;
  std::vector<std::string> lease;
  std::optional<double> grace;
  std::optional<int> handler_connections;
  std::optional<double> vacuum_blocker_alarm;
  std::optional<std::string> name;
  std::optional<std::int64_t> max_jobs;
  std::optional<double> max_seconds;
  bool drain = false;
  bool pooled = false;

  /// Adds them all. The flags must outlive the app.
  void add_to(CLI::App& app);

  /// The kinds that --kind names, without their concurrency.
  std::vector<std::string> kind_names() const;
};

/// What a worker program serves.
struct program_kinds {
  /// Those that its flags choose.
  std::vector<handled_kind> served;
  /// All that it has handlers for, also if they are not served now.
  std::vector<std::string> known;
  /// Every statement of the handlers names the schemas that it uses.
  bool system_names_only = false;
  /// Is given the worker before it runs; for what looks at it from beside.
  std::function<void(const worker&)> watch;
};

/// Makes the handlers, and runs a worker until it ends. Throws usage_error for flags and variables
/// that make no sense.
void serve(const worker_flags& flags, const program_context& context, const program_kinds& kinds);

}  // namespace rowrunner
