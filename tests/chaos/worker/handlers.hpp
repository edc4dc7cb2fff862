#pragma once

#include <rowrunner/worker.hpp>
#include <string>

namespace rowrunner::chaos {

/// What the handlers of a worker process share.
struct handler_context {
  std::uint64_t seed = 0;
  /// Where executions are recorded; see recorder.hpp.
  int history = -1;
  std::string worker;
};

/// Gives the worker the kinds of the chaos runner, `chaos` and `chaos_blocking`, whose jobs do what
/// behaviour_of says and record it: a line before and after each thing that they do,
///   WORKER EVENT JOB ATTEMPT LEASE [DETAIL]
/// with the events begin, body, call, stored, told (progress was reported), end, stopped and crash.
void add_chaos_kinds(worker& process, handler_context context);

}  // namespace rowrunner::chaos
