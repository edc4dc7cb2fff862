#pragma once

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <stdexcept>
#include <string>

#include "command/context.hpp"
#include "common/pg/error.hpp"
#include "common/pg/session.hpp"

namespace rowrunner {

/// The connection was lost, or none could be made.
struct database_away : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The session of a command. The context must outlive it.
class command_database {
 public:
  explicit command_database(const command_context& context);

  /// Throws admin::error if the schema does not serve this binary.
  void require_served();

  /// Runs work(session), a coroutine, to its end, and gives or throws what came of it. What the
  /// database refused is a std::runtime_error for people, with the GRANT that may help; one that
  /// is away is a database_away.
  template <typename Work>
  auto run(const Work& work) {
    io_.restart();
    auto answer = boost::asio::co_spawn(io_, work(session_), boost::asio::use_future);
    io_.run();
    try {
      return answer.get();
    } catch (const pg::query_error& refused) {
      explain(refused);
    } catch (const pg::connection_lost&) {
      throw database_away("the connection to the database was lost");
    } catch (const pg::connect_failed& failed) {
      throw database_away(failed.what());
    }
  }

 private:
  [[noreturn]] void explain(const pg::query_error& refused) const;

  const command_context& context_;
  boost::asio::io_context io_;
  pg::session session_;
};

/// Runs work(session) on a database whose schema serves this binary.
template <typename Work>
auto with_database(const command_context& context, const Work& work) {
  command_database served(context);
  served.require_served();
  return served.run(work);
}

/// After a permission was denied: as whom the command is connected, and which GRANT would help. ""
/// if that cannot be found out.
std::string permission_advice(const command_context& context);

}  // namespace rowrunner
