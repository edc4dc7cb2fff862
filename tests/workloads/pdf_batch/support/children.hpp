#pragma once

#include <sys/types.h>

#include <vector>

namespace rowrunner::testing {

/// The child processes of a process that run their program and have not ended.
std::vector<pid_t> children_of(pid_t parent);

/// Stops the first child of a process, in the middle of what it does, as soon as there is one; its
/// number. Zero if none is started within 30 seconds.
pid_t stop_child_of(pid_t parent);

/// Waits until there is no such process, for 30 seconds at most.
bool becomes_gone(pid_t pid);

/// The largest that its memory has been, in MiB; -1 if it has ended.
int peak_memory(pid_t pid);

}  // namespace rowrunner::testing
