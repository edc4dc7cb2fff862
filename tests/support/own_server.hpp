#pragma once

#include <string>

namespace rowrunner::testing {

/// A PostgreSQL server of a test's own, with fsync on, that can be crashed. It ends with this
/// object.
class own_server {
 public:
  own_server();
  /// A streaming standby of that one, which must be up.
  struct standby_of {
    const own_server& primary;
  };
  explicit own_server(standby_of followed);
  ~own_server();
  own_server(const own_server&) = delete;
  own_server& operator=(const own_server&) = delete;

  const std::string& url() const { return url_; }
  /// The port of its URL.
  std::string port() const;

  /// Without a checkpoint, as after a loss of power. It stays down until start().
  void crash();
  void start();
  /// A standby becomes a primary.
  void promote();

  /// ALTER SYSTEM and a reload; sessions that are open get the new value too.
  void set(const std::string& name, const std::string& value);

 private:
  std::string url_;
};

}  // namespace rowrunner::testing
