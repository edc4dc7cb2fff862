#pragma once

#include <filesystem>
#include <optional>
#include <rowrunner/log.hpp>
#include <string>
#include <vector>

#include "common/child/limits.hpp"
#include "common/environment.hpp"
#include "common/offload.hpp"

namespace rowrunner::child {

struct options {
  /// What is started, with which arguments: it calls child::serve.
  std::filesystem::path program = "/proc/self/exe";
  std::vector<std::string> arguments{"child-tools"};
  /// The whole environment of a child, each as NAME=value.
  std::vector<std::string> variables;
  /// Folders that a child may read, besides those of the system's libraries and fonts.
  std::vector<std::filesystem::path> readable;
  /// Children at a time; 0 is one per core.
  std::size_t size = 0;
  /// Calls that may wait for a child; the next one gets failure::unavailable.
  std::size_t waiting = 1024;
  /// A child is replaced after so many requests: libraries leak.
  std::size_t requests_per_child = 2000;
  limits each;
  /// Where long answers are parsed, which takes a while.
  offload elsewhere = run_inline;
  /// No foreign file is read where the platform does not confine children fully.
  bool confinement_required = false;
  /// Where deaths and missing confinement are reported, if anywhere.
  std::optional<event_log> log;
};

/// As CHILD_* and TESSDATA_PREFIX say. Throws usage_error for values that make no sense.
options options_from(const environment& env, std::optional<event_log> log = std::nullopt);

}  // namespace rowrunner::child
