#pragma once

#include <boost/asio/awaitable.hpp>
#include <rowrunner/services.hpp>

namespace rowrunner::scoring {

/// A statement that may run twice and belongs to no job: a database that is away is asked again,
/// for a minute. Throws database_error.
boost::asio::awaitable<query_result> patient_query(services& engine, std::string sql,
                                                   query_params params);

}  // namespace rowrunner::scoring
