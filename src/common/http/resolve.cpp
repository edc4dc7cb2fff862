#include "common/http/resolve.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>
#include <memory>

#include "common/http/error.hpp"

namespace rowrunner::http {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

// A look-up runs getaddrinfo on a thread of Asio's, and nothing can end that early. So the caller
// waits for a bell, and a look-up that comes too late rings it for nobody.
struct lookup {
  explicit lookup(const asio::any_io_executor& executor) : resolver(executor), bell(executor) {}
  tcp::resolver resolver;
  asio::steady_timer bell;
  bool over = false;
  boost::system::error_code failure{};
  std::vector<tcp::endpoint> found{};
};

std::shared_ptr<lookup> start_lookup(const asio::any_io_executor& executor, const origin& server) {
  auto started = std::make_shared<lookup>(executor);
  started->resolver.async_resolve(
      server.host, std::to_string(server.port), tcp::resolver::numeric_service,
      [started](boost::system::error_code failure, const tcp::resolver::results_type& results) {
        started->over = true;
        started->failure = failure;
        for (const auto& each : results) started->found.push_back(each.endpoint());
        started->bell.cancel();
      });
  return started;
}

}  // namespace

asio::awaitable<std::vector<tcp::endpoint>> resolve(
    asio::any_io_executor executor, origin server, std::chrono::steady_clock::time_point deadline) {
  boost::system::error_code not_numeric;
  const auto address = asio::ip::make_address(server.host, not_numeric);
  if (!not_numeric) co_return std::vector<tcp::endpoint>(1, tcp::endpoint(address, server.port));

  const auto started = start_lookup(executor, server);
  started->bell.expires_at(deadline);
  const auto [woken] = co_await started->bell.async_wait(asio::as_tuple(asio::use_awaitable));
  if (!started->over) {
    if (woken) throw boost::system::system_error(woken);
    throw error(error_kind::timeout, server.text() + ": the look-up of the host took too long");
  }
  if (started->failure || started->found.empty()) {
    throw error(error_kind::resolve,
                server.text() + ": the host is not known" +
                    (started->failure ? " (" + started->failure.message() + ")" : std::string()));
  }
  co_return std::move(started->found);
}

}  // namespace rowrunner::http
