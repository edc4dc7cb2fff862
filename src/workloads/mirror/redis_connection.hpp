#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "workloads/mirror/redis_address.hpp"

struct redisContext;

namespace rowrunner::mirror {

/// Redis cannot take anything now: it is away, does not answer in time, refuses the password, or is
/// full. Its text has no secrets.
struct redis_unavailable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// One command: its name and arguments, which may have any bytes.
using redis_command = std::vector<std::string>;

/// The answer to one command.
struct redis_answer {
  /// What Redis says against this command; empty if it was done.
  std::string error;
  /// Nothing for null.
  std::optional<std::string> text;
  std::int64_t number = 0;
};

/// A connection to Redis for one thread, which waits in its calls: hiredis without an event loop,
/// for a thread that does nothing else.
class redis_connection {
 public:
  /// For each of: connecting, sending, and each answer.
  static constexpr std::chrono::milliseconds patience{1000};

  /// Connects, signs in and selects the database. Throws redis_unavailable.
  explicit redis_connection(const redis_address& where,
                            std::chrono::milliseconds timeout = patience);
  ~redis_connection();
  redis_connection(const redis_connection&) = delete;
  redis_connection& operator=(const redis_connection&) = delete;

  /// Sends all commands, then reads all answers. Throws redis_unavailable, after which the
  /// connection must not be used any more, also if one of the answers says that Redis can take no
  /// writes now.
  std::vector<redis_answer> run(const std::vector<redis_command>& commands);

 private:
  struct close {
    void operator()(redisContext* raw) const noexcept;
  };

  void set_up(const redis_address& where);
  redis_answer read_answer();
  [[noreturn]] void lose();

  std::unique_ptr<redisContext, close> raw_;
};

/// Whether an error of Redis is about its state and not about the command: it is full, loads its
/// data, is a replica, or waits for a password.
bool is_about_redis(const std::string& error);

}  // namespace rowrunner::mirror
