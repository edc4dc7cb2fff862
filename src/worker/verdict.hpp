#pragma once

#include <optional>
#include <rowrunner/outcome.hpp>
#include <string>
#include <variant>

#include "worker/running_job.hpp"

namespace rowrunner {

/// The job goes back to the front of the queue, uncharged: it was not started, or was told to stop
/// because the worker stops.
struct released {};

/// How a job ends in this worker: with the outcome that its handler gave or was stopped with, or
/// released.
using ending = std::variant<succeeded, failed, snoozed, cancelled, released>;

/// A job and its ending, until that is written or dropped.
struct verdict {
  job_ptr job;
  ending result;
  /// How often the database refused it as it is.
  int tries = 0;
  /// A write of it may have been committed, but its answer was lost.
  bool unanswered = false;
};

/// What the handler wants to be written with the end.
const std::vector<effect>& effects_of(const verdict& v);
bool has_effects(const verdict& v);

/// The ending of a job whose handler has returned an outcome, or has thrown an error, and may have
/// been told to stop. Completed work counts, even if a stop was requested. Gives nothing if the
/// lease is lost: nothing is to be written then.
std::optional<ending> ending_of(const running_job& job, std::optional<outcome> returned,
                                std::string error);

/// For std::visit.
template <typename... Functions>
struct overloaded : Functions... {
  using Functions::operator()...;
};
/// clang-tidy 14 does not deduce it.
template <typename... Functions>
overloaded(Functions...) -> overloaded<Functions...>;

}  // namespace rowrunner
