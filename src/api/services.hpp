#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/database_watch.hpp"
#include "api/job_watch.hpp"
#include "api/limits.hpp"
#include "api/operations.hpp"
#include "api/overview.hpp"
#include "api/recent_callers.hpp"
#include "api/route.hpp"
#include "api/web_files.hpp"
#include "common/log.hpp"
#include "common/pg/session_pool.hpp"
#include "common/pg/turn_queue.hpp"
#include "common/uuid.hpp"

namespace rowrunner::api {

/// What the routes and connections of one server share. One thread uses it.
struct services {
  services(const asio::any_io_executor& executor, const pg::settings& database_settings,
           std::shared_ptr<logger> to, std::vector<route> table, server_limits allowed)
      : log(std::move(to)),
        limits(allowed),
        routes(std::move(table)),
        database(executor, database_settings, database_sessions),
        caller_database(executor, for_callers(database_settings), caller_sessions),
        long_work(std::make_shared<pg::turn_queue>(executor, database_sessions / 2)),
        live(executor, database_settings, log),
        operations(executor) {}

  static constexpr int database_sessions = 4;
  /// Their statements are short. Two, so that one that waits for a lock holds up no other caller.
  static constexpr int caller_sessions = 2;

  const std::shared_ptr<logger> log;
  const server_limits limits;
  const std::vector<route> routes;
  std::vector<web_file> pages = web_files();
  pg::session_pool database;
  /// For ask_about_caller() alone.
  pg::session_pool caller_database;
  /// See take_long_turn().
  const std::shared_ptr<pg::turn_queue> long_work;
  database_watch watch;
  overview_board overview;
  job_watch live;
  operation_runner operations;
  recent_callers callers;
  uuid_maker ids;
  /// What /readyz needs beside the database: why it is not there, or nothing.
  std::function<std::optional<std::string>()> also_needed;
  /// Only this machine reaches the server. Then it may be used without a token as long as the
  /// database has none.
  bool loopback = false;

 private:
  /// As behind a pooler, whether or not there is one: a backend that others have used may have
  /// prepared statements and settings that are not ours.
  static pg::settings for_callers(pg::settings all) {
    all.pooled = true;
    return all;
  }
};

}  // namespace rowrunner::api
