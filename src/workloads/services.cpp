#include "workloads/services.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "common/storage/make_store.hpp"

namespace rowrunner {

namespace asio = boost::asio;

offload on_threads(asio::thread_pool& threads) {
  return [&threads](std::function<void()> work) -> asio::awaitable<void> {
    const auto body = [work = std::move(work)]() -> asio::awaitable<void> {
      work();
      co_return;
    };
    co_await asio::co_spawn(threads, body, asio::use_awaitable);
  };
}

workload_services::workload_services(services& from_worker, environment settings)
    : env(std::move(settings)),
      engine(from_worker),
      files(on_threads(threads)),
      http(engine.executor()),
      outbound(engine.executor(), http::outbound_policy(env), engine.log()),
      storage(storage::make_store(env, http, files)) {
  storage->check_writable();
}

}  // namespace rowrunner
