#include "workloads/mirror/support/redis_server.hpp"

#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <filesystem>
#include <stdexcept>

namespace rowrunner::testing {
namespace {

int free_port() {
  using boost::asio::ip::tcp;
  boost::asio::io_context io;
  const tcp::acceptor probe(io, tcp::endpoint(boost::asio::ip::address_v4::loopback(), 0));
  return probe.local_endpoint().port();
}

}  // namespace

redis_server::redis_server(std::vector<std::string> options) : options_(std::move(options)) {
  std::string name = (std::filesystem::temp_directory_path() / "redisXXXXXX").string();
  folder_ = mkdtemp(name.data());
  // The port may be taken by another process between the check and the start.
  for (int attempt = 0; attempt < 5; ++attempt) {
    port_ = free_port();
    if (try_to_start()) return;
  }
  throw std::runtime_error("redis-server did not start: " + process_->out() + process_->err());
}

redis_server::~redis_server() {
  process_.reset();
  std::filesystem::remove_all(folder_);
}

bool redis_server::try_to_start() {
  std::vector<std::string> argv{
      "redis-server", "--port", std::to_string(port_), "--bind", "127.0.0.1",
      "--save",       "",       "--appendonly",        "no",     "--dir",
      folder_};
  argv.insert(argv.end(), options_.begin(), options_.end());
  process_ = std::make_unique<child_process>(argv);
  return process_->wait_for_output_line("Ready to accept connections").has_value();
}

void redis_server::stop() {
  process_->kill(SIGKILL);
  process_->wait();
}

void redis_server::start() {
  if (!try_to_start()) throw std::runtime_error("redis-server did not start again");
}

mirror::redis_address redis_server::address() const {
  mirror::redis_address out;
  out.host = "127.0.0.1";
  out.port = port_;
  return out;
}

mirror::redis_answer redis_server::ask(const mirror::redis_command& command) const {
  return mirror::redis_connection(address()).run({command}).front();
}

std::string redis_server::text(const mirror::redis_command& command) const {
  return ask(command).text.value_or("");
}

std::string redis_server::list(const std::string& key) const {
  return text({"EVAL", "return table.concat(redis.call('LRANGE', KEYS[1], 0, -1), ' ')", "1", key});
}

}  // namespace rowrunner::testing
