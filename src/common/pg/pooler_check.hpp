#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include "common/pg/connection.hpp"

namespace rowrunner::pg {

/// Whether these settings lead to a pooler that gives each transaction another server process.
///
/// A server tells its process number at login; a pooler tells a number of its own. So one statement
/// finds out that nothing is in between. Otherwise two connections compare, while one of them is
/// inside of a transaction, which processes answer them: in session mode each keeps its own, in
/// transaction mode they share one or change it. Throws pg::error.
boost::asio::awaitable<bool> behind_transaction_pooler(boost::asio::any_io_executor executor,
                                                       settings options);

}  // namespace rowrunner::pg
