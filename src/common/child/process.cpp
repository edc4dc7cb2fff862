#include "common/child/process.hpp"

#include <sys/socket.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/completion_condition.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <cerrno>
#include <csignal>

#include "common/child/wire.hpp"
#include "common/foreign_json.hpp"

namespace rowrunner::child {
namespace {

/// What a child says is foreign too: the file may have taken it over.
nlohmann::json parse_answer(const std::string& text) {
  json_limits allowed;
  allowed.bytes = text.size();
  allowed.elements = 4'000'000;
  try {
    return parse_foreign_json(text, allowed);
  } catch (const foreign_json_error&) {
    throw bad_answer{};
  }
}

}  // namespace

process::process(const asio::any_io_executor& executor, spawned child,
                 std::shared_ptr<spawner> from, offload elsewhere)
    : pid_(child.take_pid()),
      spawner_(std::move(from)),
      elsewhere_(std::move(elsewhere)),
      socket_(executor, asio::local::stream_protocol(), child.socket.release()) {}

process::~process() {
  kill();
  if (!reaped_) spawner_->bury(pid_);
}

bool process::unusable() const noexcept {
  char byte = 0;
  const auto fd = const_cast<asio::local::stream_protocol::socket&>(socket_).native_handle();
  const auto got = ::recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  return got >= 0 || (errno != EAGAIN && errno != EINTR);
}

void process::kill() noexcept {
  killed_ = true;
  // The number is its own until it has been waited for.
  if (!reaped_) ::kill(pid_, SIGKILL);
}

asio::awaitable<void> process::send(const std::string& request,
                                    const std::vector<descriptor>& files) {
  const auto frame = frame_of(request);
  std::size_t sent = 0;
  while ((sent = send_start(socket_.native_handle(), frame, files)) == 0) {
    co_await socket_.async_wait(asio::socket_base::wait_write, asio::use_awaitable);
  }
  if (sent == frame.size()) co_return;
  co_await asio::async_write(socket_, asio::buffer(frame) + sent, asio::use_awaitable);
}

asio::awaitable<std::string> process::receive(std::size_t at_most) {
  std::string text(16 * 1024, '\0');
  const auto got = co_await asio::async_read(
      socket_, asio::buffer(text), asio::transfer_at_least(head_bytes), asio::use_awaitable);
  const auto length = length_in(text.data());
  if (length > at_most) throw long_answer{};
  if (got > head_bytes + length) throw bad_answer{};
  text.resize(head_bytes + length);
  if (got < text.size()) {
    co_await asio::async_read(socket_, asio::buffer(text) + got, asio::use_awaitable);
  }
  text.erase(0, head_bytes);
  co_return text;
}

asio::awaitable<nlohmann::json> process::parse(std::string answer) {
  constexpr std::size_t quick = 64 * 1024;
  if (answer.size() <= quick) co_return parse_answer(answer);
  const auto text = std::make_shared<const std::string>(std::move(answer));
  const auto work = [text] { return parse_answer(*text); };
  co_return co_await result_of<nlohmann::json>(elsewhere_, work);
}

asio::awaitable<nlohmann::json> process::exchange(const std::string& request,
                                                  const std::vector<descriptor>& files,
                                                  std::size_t max_answer) {
  ++requests;
  bool aborted = false;
  try {
    co_await send(request, files);
    auto text = co_await receive(max_answer);
    co_return co_await parse(std::move(text));
  } catch (const boost::system::system_error& problem) {
    aborted = problem.code() == asio::error::operation_aborted;
  } catch (const std::system_error&) {
    // Of sendmsg: it has ended.
  }
  if (aborted) throw boost::system::system_error(asio::error::operation_aborted);
  throw no_answer{};
}

asio::awaitable<child_end> process::end() {
  // Not before the coroutine runs: a cancelled caller does not start it.
  reaped_ = true;
  co_return co_await spawner_->end_of(pid_);
}

}  // namespace rowrunner::child
