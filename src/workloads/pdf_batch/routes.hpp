#pragma once

#include <vector>

#include "api/route.hpp"
#include "common/environment.hpp"

namespace rowrunner::pdf_batch {

/// PDF files over HTTP: messages, uploads, the document's status, results, and the push
/// subscription of Pub/Sub. Throws usage_error for settings that make no sense.
std::vector<api::route> make_routes(const boost::asio::any_io_executor& executor,
                                    const environment& env);

}  // namespace rowrunner::pdf_batch
