#pragma once

#include <optional>
#include <string>

#include "common/child/error.hpp"
#include "common/child/limits.hpp"

namespace rowrunner::child {

/// Why a child that owed an answer ended, from the status of wait(2). Nothing if it ended in peace,
/// since it was idle: the request may be made again.
std::optional<error> error_of_death(int status, const limits& allowed);

}  // namespace rowrunner::child
