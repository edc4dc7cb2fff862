#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio.hpp>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "common/http/client.hpp"
#include "support/http_stand_in.hpp"

namespace rowrunner::http {

using asio::awaitable;
using asio::use_awaitable;
using rowrunner::testing::http_call;
using rowrunner::testing::http_exchange;
using rowrunner::testing::http_stand_in;

/// Runs coroutines on one io_context, as the engine does.
class http_fixture : public ::testing::Test {
 protected:
  // The time limit only turns a deadlock into a failure.
  void play(const std::function<awaitable<void>()>& test) {
    bool finished = false;
    io_.restart();
    asio::co_spawn(io_, test(), [&](std::exception_ptr failure) {
      finished = true;
      io_.stop();
      if (failure) std::rethrow_exception(failure);
    });
    io_.run_for(std::chrono::seconds(50));
    EXPECT_TRUE(finished) << "the test hangs";
  }

  response fetch(client& http, const request& wanted) {
    std::optional<response> out;
    play([&]() -> awaitable<void> {
      request copy = wanted;
      out = co_await http.send(std::move(copy));
    });
    return out.value();
  }

  error failure(client& http, const request& wanted) {
    try {
      fetch(http, wanted);
    } catch (const error& why) {
      return why;
    }
    ADD_FAILURE() << "no error";
    return {error_kind::bad_url, "no error"};
  }

  /// Sends, and cancels when `armed` calls what it is given, from any thread.
  bool is_cancelled(client& http, const request& wanted,
                    const std::function<void(std::function<void()>)>& armed) {
    const auto signal = std::make_shared<asio::cancellation_signal>();
    bool cancelled = false;
    bool finished = false;
    io_.restart();
    asio::co_spawn(io_, http.send(wanted),
                   asio::bind_cancellation_slot(signal->slot(),
                                                [&](std::exception_ptr failed, const response&) {
                                                  finished = true;
                                                  cancelled = failed && is_aborted(failed);
                                                  io_.stop();
                                                }));
    // Behind the start of the coroutine: one that is cancelled before it starts throws out of
    // run().
    armed([this, signal] {
      asio::post(io_, [signal] { signal->emit(asio::cancellation_type::terminal); });
    });
    io_.run_for(std::chrono::seconds(50));
    EXPECT_TRUE(finished) << "the cancellation was not heard";
    return cancelled;
  }

  static bool is_aborted(const std::exception_ptr& failed) {
    try {
      std::rethrow_exception(failed);
    } catch (const boost::system::system_error& why) {
      return why.code() == asio::error::operation_aborted;
    } catch (...) {
      return false;
    }
  }

  asio::io_context io_;
};

}  // namespace rowrunner::http
