#pragma once

#include <vector>

#include "api/route.hpp"
#include "common/environment.hpp"

namespace rowrunner::ocr_relay {

/// POST /jobs and GET /jobs/{job_id}; nothing without RELAY_TOKEN.
std::vector<api::route> make_routes(const boost::asio::any_io_executor& executor,
                                    const environment& env);

/// The document's GET /healthz, for a server that has no other.
api::route health_route();

}  // namespace rowrunner::ocr_relay
