#pragma once

#include <vector>

#include "api/route.hpp"
#include "common/environment.hpp"

namespace rowrunner::spot_images {

/// Plans over HTTP: POST /api/plans, GET /api/plans, GET /api/plans/{id} and the pictures.
std::vector<api::route> make_routes(const boost::asio::any_io_executor& executor,
                                    const environment& env);

}  // namespace rowrunner::spot_images
