#include "support/migrate.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>

namespace rowrunner::testing {
namespace {

template <typename Work>
auto run(const std::string& url, const Work& work) {
  boost::asio::io_context io;
  pg::settings settings;
  settings.url = url;
  settings.answer_timeout = std::chrono::minutes(5);
  pg::session session(io.get_executor(), settings);
  auto answer = boost::asio::co_spawn(io, work(session), boost::asio::use_future);
  io.run();
  return answer.get();
}

}  // namespace

admin::migration_result migrate(const std::string& url, const std::vector<component>& components) {
  return run(url, [&](pg::session& session) { return admin::migrate(session, components); });
}

std::vector<admin::migration_state> migration_status(const std::string& url,
                                                     const std::vector<component>& components) {
  return run(url,
             [&](pg::session& session) { return admin::migration_status(session, components); });
}

}  // namespace rowrunner::testing
