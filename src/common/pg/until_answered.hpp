#pragma once

#include <functional>
#include <vector>

#include "common/pg/session.hpp"

namespace rowrunner::pg {

/// Runs calls that may run twice, such as reads, and runs them again, with a backoff, when the
/// connection was lost or the transaction may succeed later. `before_each` is asked before each
/// try, and throws when it is time to give up. Throws query_error for what would stay wrong.
asio::awaitable<std::vector<result>> until_answered(session& on, std::vector<call> calls,
                                                    std::function<void()> before_each);

}  // namespace rowrunner::pg
