#pragma once

#include <rowrunner/worker.hpp>
#include <string>

namespace rowrunner::testing {

/// So many pages a job reads at the same time.
constexpr int pages_at_once = 4;

/// The columns that the test handlers read.
kind_options test_kind();

/// What a test job does is said by its action; `ms` and `times` are its parameters:
///   ok        waits ms, then ends with one row in effects
///   gate      waits until there is a file of its name in the folder $TEST_GATES, then as ok
///   fail      throws
///   flaky     fails `times` times, then as ok
///   final     fails for good
///   later     asks for a retry after ms
///   snooze    snoozes ms, once, then as ok
///   crash     kills the process
///   deaf      waits for ever and does not listen to a cancellation
///   block     blocks the thread for ever
///   steps     runs `times` steps, each of which adds a line to the file $TEST_STEP_LOG, and kills
///             the process once, after the step of that name
///   pages     reads `times` pages, some at once, ms for each: every one is a step that adds a line
///   to
///             the file $TEST_STEP_LOG when it begins, and whose effects are a row in step_effects
///             and a job of its name; then as ok
///   progress  reports `times` times, then as ok
///   effect    asks for an effect that the database refuses
///   cancelled ends as cancelled
boost::asio::awaitable<outcome> run_test_job(job& self);

/// ok, fail, deaf (never returns), obedient (waits until it is told to stop).
outcome run_blocking_test_job(blocking_job& self);

}  // namespace rowrunner::testing
