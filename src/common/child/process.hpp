#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "common/child/spawner.hpp"
#include "common/offload.hpp"

namespace rowrunner::child {

namespace asio = boost::asio;

/// The connection ended without an answer.
struct no_answer {};
/// The answer is none that a tool gives.
struct bad_answer {};
/// The answer would be longer than allowed.
struct long_answer {};

/// A running child, seen from its parent. It is killed when the object goes.
class process {
 public:
  /// Long answers are parsed elsewhere.
  process(const asio::any_io_executor& executor, spawned child, std::shared_ptr<spawner> from,
          offload elsewhere);
  ~process();
  process(const process&) = delete;
  process& operator=(const process&) = delete;

  pid_t pid() const noexcept { return pid_; }
  /// It has ended, or has sent what was not asked for.
  bool unusable() const noexcept;
  /// A running exchange then gets no answer.
  void kill() noexcept;

  /// Sends a request and returns the answer. Throws one of the above, or system_error
  /// (operation_aborted).
  asio::awaitable<nlohmann::json> exchange(const std::string& request,
                                           const std::vector<descriptor>& files,
                                           std::size_t max_answer);

  /// How it ended, when there is no answer. It is killed if it lives on.
  asio::awaitable<child_end> end();
  /// kill() was called.
  bool killed() const noexcept { return killed_; }

  std::size_t requests = 0;
  /// The file that it has open, and its requests for that file without another in between.
  std::uint64_t about = 0;
  std::size_t in_a_row = 0;

 private:
  asio::awaitable<void> send(const std::string& request, const std::vector<descriptor>& files);
  asio::awaitable<std::string> receive(std::size_t at_most);
  asio::awaitable<nlohmann::json> parse(std::string answer);

  const pid_t pid_;
  const std::shared_ptr<spawner> spawner_;
  const offload elsewhere_;
  asio::local::stream_protocol::socket socket_;
  bool killed_ = false;
  bool reaped_ = false;
};

}  // namespace rowrunner::child
