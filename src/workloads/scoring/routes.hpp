#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <vector>

#include "api/route.hpp"
#include "common/environment.hpp"

namespace rowrunner::scoring {

std::vector<api::route> make_routes(const boost::asio::any_io_executor& executor,
                                    const environment& env);

}  // namespace rowrunner::scoring
