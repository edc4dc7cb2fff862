#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <string_view>

#include "child/bad_tools.hpp"
#include "common/child/pool.hpp"
#include "common/child/wire.hpp"

namespace {

using namespace rowrunner;
namespace asio = boost::asio;

asio::awaitable<void> wait_with_child(child::pool& children) {
  std::vector<descriptor> output;
  output.emplace_back(::dup(STDOUT_FILENO));
  co_await children.call("wait_visibly", nlohmann::json::object(), std::move(output));
}

/// Has a child print its number, and waits for it for ever.
int be_parent() {
  asio::io_context io;
  child::options how;
  how.size = 1;
  child::pool children(io.get_executor(), how);
  asio::co_spawn(io, wait_with_child(children), asio::detached);
  io.run();
  return 0;
}

/// As a child on a platform that confines it only in part.
int be_less_confined() {
  using child::receive;
  constexpr int parent = 0;
  if (!receive(parent, -1)) return 1;
  child::send(parent, R"({"missing":["Landlock: not supported"]})");
  while (receive(parent, -1)) child::send(parent, R"({"answer":true})");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view mode = argc == 2 ? argv[1] : "";
  if (mode == "child-tools") return child::serve(rowrunner::testing::bad_tools());
  if (mode == "be-parent") return be_parent();
  if (mode == "be-less-confined") return be_less_confined();
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
