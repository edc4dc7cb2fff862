#pragma once

#include <chrono>
#include <memory>
#include <pqxx/pqxx>
#include <string>

#include "support/postgres.hpp"

namespace rowrunner::testing {

/// A database that says when something has changed in it, so that no test has to sleep: a
/// notification on the channel `test_changes` wakes it.
class watched_database : public test_database {
 public:
  explicit watched_database(contents wanted = contents::migrated) : test_database(wanted) {
    listen();
  }

  /// From now on every change of a row of this table notifies.
  void watch(const std::string& table);

  /// Waits until the query answers `wanted`; it is asked again whenever something changed. Says
  /// whether it came to that.
  bool becomes(const std::string& sql, const std::string& wanted,
               std::chrono::seconds at_most = std::chrono::seconds{60});

  /// After the server was away.
  void come_back();

 private:
  void listen();

  std::unique_ptr<pqxx::connection> listener_;
};

}  // namespace rowrunner::testing
