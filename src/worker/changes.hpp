#pragma once

#include "common/event.hpp"

namespace rowrunner {

/// Later stages of a job tell earlier ones that something has changed, never what to do about it:
/// each stage checks that by itself.
struct changes {
  explicit changes(const boost::asio::any_io_executor& executor)
      : for_loop(executor), for_worker(executor) {}

  /// There is room for more jobs, or outcomes were written.
  event for_loop;
  /// A job has ended, outcomes were written, the loop has ended, or a stop was requested.
  event for_worker;
};

}  // namespace rowrunner
