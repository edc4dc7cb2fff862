#pragma once

#include <boost/asio/awaitable.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "common/pg/session.hpp"

namespace rowrunner::ocr_relay {

/// What GET /jobs/{job_id} answers; nothing if there is no such job.
boost::asio::awaitable<std::optional<nlohmann::ordered_json>> find_job(pg::session& session,
                                                                       std::string job_id);

}  // namespace rowrunner::ocr_relay
