#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace rowrunner::pg {

/// What a caller can do about an SQLSTATE.
enum class error_class {
  connection,         ///< The server is away or turns clients away: reconnect, with a backoff.
  retry_transaction,  ///< The same transaction may succeed later: run it again, with a backoff.
  permanent,          ///< Running it again gives the same error.
};

/// For a statement as a whole. Which errors one row of many may be to blame for is decided in the
/// database, by rowrunner.concerns_one_row; a test compares the two.
error_class classify(std::string_view sqlstate);

/// Everything that this library throws because of the database.
struct error : std::runtime_error {
  error(std::string sqlstate, const std::string& what);

  const std::string& sqlstate() const noexcept { return sqlstate_; }

 private:
  std::string sqlstate_;
};

/// The server refused a statement. The connection is still usable and nothing of the implicit
/// transaction was kept.
struct query_error : error {
  query_error(std::string sqlstate, std::string message, std::string statement_name,
              std::string detail = {}, std::string hint = {});

  const std::string& message() const noexcept { return message_; }
  const std::string& detail() const noexcept { return detail_; }
  const std::string& statement_name() const noexcept { return statement_name_; }
  /// Message, detail and hint in one line, for people.
  std::string explanation() const;

 private:
  std::string message_;
  std::string detail_;
  std::string hint_;
  std::string statement_name_;
};

/// The socket broke, the server closed it, or no answer came in time.
struct connection_lost : error {
  connection_lost(const std::string& what, bool maybe, std::string sqlstate = "08006");

  /// True if everything that the commit needs may have reached the server while its answer was not
  /// seen: only the data can tell whether the work was done. False means certainly rolled back.
  bool maybe_committed;
};

/// No connection could be made. The message names the server and what to try, never the password.
struct connect_failed : error {
  explicit connect_failed(const std::string& what);
};

}  // namespace rowrunner::pg
