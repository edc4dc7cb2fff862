#pragma once

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <chrono>

#include "command/context.hpp"
#include "common/pg/session.hpp"

namespace rowrunner {

/// The settings of a command's session. A command runs a statement once, so none is prepared, and a
/// transaction-mode pooler in between does no harm. Statements such as a repair may take long.
inline pg::settings session_settings(const command_context& context) {
  pg::settings settings;
  settings.url = context.database_url();
  settings.pooled = true;
  settings.system_names_only = true;
  settings.answer_timeout = std::chrono::hours(24);
  return settings;
}

/// Runs a coroutine to its end with a session of its own, and gives or throws what came of it.
template <typename Work>
auto with_session(const command_context& context, const Work& work) {
  boost::asio::io_context io;
  pg::session session(io.get_executor(), session_settings(context));
  auto answer = boost::asio::co_spawn(io, work(session), boost::asio::use_future);
  io.run();
  return answer.get();
}

}  // namespace rowrunner
