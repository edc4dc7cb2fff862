#pragma once

#include <memory>
#include <optional>
#include <pqxx/pqxx>
#include <string>
#include <vector>

namespace rowrunner::testing {

/// The URL of the server that the tests use: ROWRUNNER_TEST_URL, or the contents of the file that
/// ROWRUNNER_TEST_URL_FILE names, or else a server that is started now and ends with this process.
const std::string& server_url();

/// A database of one's own, dropped at the end with whatever is still connected to it.
class test_database {
 public:
  enum class contents {
    migrated,   ///< a copy of a template that has the engine, and letter_jobs (see letters.hpp)
    server,     ///< of one that has the engine and the HTTP server
    workloads,  ///< of one that has these and the workloads of this build
    empty,
  };

  explicit test_database(contents wanted = contents::migrated);
  ~test_database();
  test_database(const test_database&) = delete;
  test_database& operator=(const test_database&) = delete;

  const std::string& name() const noexcept { return name_; }
  const std::string& url() const noexcept { return url_; }
  /// As url(), for another user; for tests of roles.
  std::string url_of(const std::string& user) const;

  /// These work on a connection of their own, each in its own transaction.
  pqxx::result rows(const std::string& sql);
  void exec(const std::string& sql) { rows(sql); }
  /// The first field of the first row; "" for NULL and for no row.
  std::string value(const std::string& sql);

  /// From the next reconnect() on. The URL may name several servers.
  void reach_by(std::string url) { url_ = std::move(url); }
  /// After the server was away.
  void reconnect() { connection_ = std::make_unique<pqxx::connection>(url_); }

  pqxx::connection& connection() { return *connection_; }

 private:
  std::string name_;
  std::string url_;
  std::unique_ptr<pqxx::connection> connection_;
};

}  // namespace rowrunner::testing
