#pragma once

#include <vector>

#include "api/route.hpp"
#include "common/environment.hpp"

namespace rowrunner::webhooks {

/// Deliveries over HTTP: what was not delivered, one of them, and sending again.
std::vector<api::route> make_routes(const boost::asio::any_io_executor& executor,
                                    const environment& env);

}  // namespace rowrunner::webhooks
