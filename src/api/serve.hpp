#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "api/limits.hpp"
#include "api/route.hpp"
#include "common/log.hpp"
#include "common/pg/connection.hpp"

namespace rowrunner::api {

struct serve_options {
  std::string host = "127.0.0.1";
  int port = 8080;
  std::string database_url;
  /// Behind a transaction-mode pooler.
  bool pooled = false;
  server_limits limits;
  /// Routes beside the server's own: those of workloads.
  std::function<std::vector<route>(const asio::any_io_executor&)> more_routes;
  /// False: the server has these only, and no page. They prove their callers themselves.
  bool own_routes = true;
  /// Called once, from the thread that serves, when the address is listened on.
  std::function<void()> on_listening{};
};

/// Serves until SIGTERM or SIGINT. Throws usage_error for an address that must not be used, and
/// std::runtime_error if the database or the address cannot be.
void serve(const serve_options& options, std::shared_ptr<logger> log);

}  // namespace rowrunner::api
