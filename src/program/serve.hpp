#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <rowrunner/worker.hpp>
#include <string>
#include <vector>

#include "program/context.hpp"

namespace rowrunner {

/// The flags of a worker as they were given; what is absent comes from the environment, then from
/// the defaults.
struct worker_flags {
  std::vector<std::string> kinds;
  std::optional<int> concurrency;
  std::optional<double> timeout;
  std::optional<double> lease;
  std::optional<double> grace;
  std::optional<double> horizon_alarm;
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

/// What a worker process serves: a kind with the options that hold unless a flag or a variable says
/// otherwise, and how its handler is added.
struct served_kind {
  kind_options options;
  std::function<void(worker&, kind_options, const worker_options&, const environment&)> add;
};

/// Runs a worker until it ends. Throws usage_error for flags and variables that make no sense.
void serve(const worker_flags& flags, const program_context& context,
           const std::vector<served_kind>& kinds);

}  // namespace rowrunner
