#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <exception>
#include <optional>
#include <string>

#include "common/child/pool.hpp"

namespace rowrunner::testing {

namespace asio = boost::asio;
using child::failure;
using nlohmann::json;

/// Sums up a call: its answer, or its error.
struct result {
  json answer;
  std::optional<failure> why;
  std::string message;
};

inline asio::awaitable<void> record(child::pool& children, std::string tool, json arguments,
                                    std::vector<descriptor> files, result& to) {
  try {
    to.answer = co_await children.call(std::move(tool), std::move(arguments), std::move(files));
  } catch (const child::error& error) {
    to.why = error.why;
    to.message = error.what();
  } catch (const std::exception& error) {
    to.message = error.what();
  }
}

/// Children of this program, on a loop that runs while a call does.
class child_pool : public ::testing::Test {
 protected:
  child_pool() { how.size = 1; }

  child::pool& children() {
    if (!pool_) pool_.emplace(io.get_executor(), how);
    return *pool_;
  }

  result call(const std::string& tool, json arguments = json::object(),
              std::vector<descriptor> files = {}) {
    result out;
    asio::co_spawn(io, record(children(), tool, std::move(arguments), std::move(files), out),
                   asio::detached);
    run();
    return out;
  }

  void run() {
    io.restart();
    io.run();
  }

  asio::io_context io;
  child::options how;

 private:
  std::optional<child::pool> pool_;
};

}  // namespace rowrunner::testing
