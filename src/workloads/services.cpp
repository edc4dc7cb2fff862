#include "workloads/services.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "common/child/required.hpp"
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

namespace {

child::options children_of(const environment& env, services& engine, const offload& files) {
  auto how = child::options_from(env, engine.log());
  how.elsewhere = files;
  return how;
}

}  // namespace

workload_services::workload_services(services& from_worker, environment settings)
    : env(std::move(settings)),
      engine(from_worker),
      files(on_threads(threads)),
      http(engine.executor()),
      outbound(engine.executor(), http::outbound_policy(env), engine.log()),
      storage(storage::make_store(env, http, files)),
      limits(engine, env),
      children(engine.executor(), children_of(env, engine, files)) {
  child::check_confinement(child::options_from(env));
  storage->check_writable();
}

}  // namespace rowrunner
