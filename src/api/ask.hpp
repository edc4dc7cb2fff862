#pragma once

#include <memory>
#include <type_traits>
#include <utility>

#include "api/services.hpp"

namespace rowrunner::api {

/// Runs a call on a session of the server. Throws connection_lost also if no session is free within
/// the limit database_time; what was sent by then is waited for as long as the settings of the
/// sessions say.
asio::awaitable<pg::result> ask_database(services& with, pg::call one);

/// Asks who a caller is and what they may call: tokens, sign-ins, tickets, hourly limits. On
/// sessions of its own, which never read a job table: code of a table's owner runs in the session
/// that reads it, and may leave things there. Throws as ask_database().
asio::awaitable<pg::result> ask_about_caller(services& with, pg::call one);

/// A session for several round trips. Throws connection_lost if none is free in time.
asio::awaitable<pg::session_pool::loan> borrow_session(services& with);

/// The right to keep a session busy for long; gives it back at its end.
class long_turn {
 public:
  explicit long_turn(std::shared_ptr<pg::turn_queue> of) : of_(std::move(of)) {}
  long_turn(long_turn&&) noexcept = default;
  long_turn& operator=(long_turn&&) = delete;
  ~long_turn() {
    if (of_) of_->pass_on();
  }

 private:
  std::shared_ptr<pg::turn_queue> of_;
};

/// To be taken before a session by routes whose statements read much. Half of the sessions have
/// such turns, so that the others serve everybody else. Throws connection_lost if none is free in
/// time.
asio::awaitable<long_turn> take_long_turn(services& with);

/// Runs work(session), a coroutine, on a session of the server. `work` must outlive the call.
template <typename Work>
auto with_session(services& with, const Work& work)
    -> std::invoke_result_t<const Work&, pg::session&> {
  const auto mine = co_await borrow_session(with);
  co_return co_await work(*mine);
}

}  // namespace rowrunner::api
