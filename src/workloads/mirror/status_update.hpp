#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "workloads/mirror/redis_connection.hpp"

namespace rowrunner::mirror {

/// How long Redis keeps a status after its last update.
inline constexpr std::chrono::seconds time_to_live{86'400};

/// What the database said of the moment at which something was read; see mirror_versioned.sql.
struct version {
  std::string system;
  std::int64_t timeline = 0;
  std::int64_t ended = 0;
};

/// Sets a status, unless Redis has a newer one. An empty value removes it. The answer's number is 1
/// if it counted and 0 if a newer one is there.
redis_command set_status(const std::string& key, const version& seen, const std::string& value);

/// The same for a list.
redis_command set_list(const std::string& key, const version& seen,
                       const std::vector<std::string>& items);

/// Where the version of a key is kept: on the same node of a Redis Cluster, and not among the keys
/// that begin with "job:".
std::string version_key(const std::string& key);

}  // namespace rowrunner::mirror
