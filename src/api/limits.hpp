#pragma once

#include <chrono>
#include <cstddef>

namespace rowrunner::api {

/// What one client may use, and for how long.
struct server_limits {
  /// The request line and all header fields.
  std::size_t head_bytes = 16 * 1024;
  std::size_t request_line_bytes = 8 * 1024;
  std::size_t header_fields = 100;

  /// From the first byte of a request to the end of its header, and of its body. The whole time
  /// counts, so that a byte now and then does not keep a connection.
  std::chrono::milliseconds head_time{10'000};
  std::chrono::milliseconds body_time{30'000};
  std::chrono::milliseconds write_time{30'000};
  /// Between two requests, and before the first one.
  std::chrono::milliseconds idle_time{60'000};

  std::size_t connections = 2000;
  /// Connections beyond these get one answer each: that of a health route, or 503. A new one
  /// replaces the oldest.
  std::size_t spare_connections = 32;
  std::chrono::milliseconds spare_time{2'000};

  /// What running requests get after a stop.
  std::chrono::milliseconds grace{8'000};
  /// For each use of the database by a request.
  std::chrono::milliseconds database_time{5'000};
  /// For each statement, by the database itself.
  std::chrono::milliseconds statement_time{2'000};

  /// A session that blocks VACUUM for longer than this is a problem.
  std::chrono::milliseconds vacuum_alarm{300'000};
};

}  // namespace rowrunner::api
