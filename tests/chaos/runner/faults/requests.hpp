#pragma once

#include <string>
#include <vector>

#include "chaos/runner/stage.hpp"

namespace rowrunner::chaos {

// What people ask for. Each request is noted before it is made, since it may have happened if its
// answer is lost; a request to cancel is noted again when it is answered, because it is about the
// run that goes on just then and no other. They throw pqxx::failure when the server is away.

/// Asks to cancel up to so many of the jobs of chaos_jobs for which the condition holds. Gives
/// their names.
std::vector<std::string> cancel_some(stage& on, const std::string& which, int at_most);

/// Asks to run again up to so many of the jobs for which the condition holds.
void requeue_some(stage& on, const std::string& which, int at_most);

/// As after a failover to a server whose clock is an hour ahead: every lease has ended. It waits
/// for nobody who holds one, and so keeps nobody from the others; those are left out.
void expire_all_leases(pqxx::connection& on);

}  // namespace rowrunner::chaos
