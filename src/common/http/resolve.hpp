#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <chrono>
#include <vector>

#include "common/http/url.hpp"

namespace rowrunner::http {

/// The addresses of a server, at least one. Throws error (resolve, timeout). May be cancelled.
boost::asio::awaitable<std::vector<boost::asio::ip::tcp::endpoint>> resolve(
    boost::asio::any_io_executor executor, origin server,
    std::chrono::steady_clock::time_point deadline);

}  // namespace rowrunner::http
