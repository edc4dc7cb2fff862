#pragma once

#include <vector>

#include "api/route.hpp"

namespace rowrunner::api {

/// Every route of the server.
std::vector<route> all_routes();

// health_routes.cpp
asio::awaitable<answer> live(services& with, const request& asked);
asio::awaitable<answer> ready(services& with, const request& asked);
asio::awaitable<answer> health(services& with, const request& asked);

// session_routes.cpp
asio::awaitable<answer> sign_in(services& with, const request& asked);
asio::awaitable<answer> who_am_i(services& with, const request& asked);
asio::awaitable<answer> sign_out(services& with, const request& asked);
asio::awaitable<answer> make_ticket(services& with, const request& asked);

}  // namespace rowrunner::api
