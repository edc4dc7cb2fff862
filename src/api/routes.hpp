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

// metrics.cpp
asio::awaitable<answer> show_metrics(services& with, const request& asked);

// session_routes.cpp
asio::awaitable<answer> sign_in(services& with, const request& asked);
asio::awaitable<answer> who_am_i(services& with, const request& asked);
asio::awaitable<answer> sign_out(services& with, const request& asked);
asio::awaitable<answer> make_ticket(services& with, const request& asked);

// user_routes.cpp
asio::awaitable<answer> remove_user(services& with, const request& asked);

// overview_routes.cpp
asio::awaitable<answer> show_overview(services& with, const request& asked);
asio::awaitable<answer> list_kinds(services& with, const request& asked);
asio::awaitable<answer> list_workers(services& with, const request& asked);

// jobs_routes.cpp
asio::awaitable<answer> list_jobs(services& with, const request& asked);
asio::awaitable<answer> show_job(services& with, const request& asked);
asio::awaitable<answer> show_queue(services& with, const request& asked);

// change_routes.cpp
asio::awaitable<answer> retry_job(services& with, const request& asked);
asio::awaitable<answer> cancel_job(services& with, const request& asked);
asio::awaitable<answer> run_job_now(services& with, const request& asked);
asio::awaitable<answer> pause_kind(services& with, const request& asked);
asio::awaitable<answer> resume_kind(services& with, const request& asked);

// failed_routes.cpp
asio::awaitable<answer> list_failed(services& with, const request& asked);
asio::awaitable<answer> list_failed_jobs(services& with, const request& asked);
asio::awaitable<answer> retry_failed(services& with, const request& asked);
asio::awaitable<answer> list_operations(services& with, const request& asked);
asio::awaitable<answer> show_operation(services& with, const request& asked);
asio::awaitable<answer> cancel_operation(services& with, const request& asked);

// live_routes.cpp
asio::awaitable<answer> show_document_job(services& with, const request& asked);
asio::awaitable<answer> open_job_socket(services& with, const request& asked);
asio::awaitable<answer> open_events(services& with, const request& asked);

// openapi.cpp
asio::awaitable<answer> show_openapi(services& with, const request& asked);

}  // namespace rowrunner::api
