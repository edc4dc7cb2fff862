#include "workloads/documents/files.hpp"

#include <boost/asio/this_coro.hpp>

#include "common/child/required.hpp"
#include "common/storage/files.hpp"
#include "common/storage/make_store.hpp"
#include "workloads/documents/settings.hpp"
#include "workloads/services.hpp"

namespace rowrunner::documents {

files::files(environment env)
    : env_(std::move(env)), largest_(largest_document(env_)), offload_(on_threads(threads_)) {
  child::check_confinement(child::options_from(env_));
}

asio::awaitable<child::pool*> files::children() {
  if (!children_) {
    const auto executor = co_await asio::this_coro::executor;
    children_ = std::make_unique<child::pool>(executor, child::options_from(env_));
  }
  co_return children_.get();
}

asio::awaitable<storage::store*> files::storage() {
  if (!storage_) {
    const auto executor = co_await asio::this_coro::executor;
    http_ = std::make_unique<http::client>(executor);
    storage_ = storage::make_store(env_, *http_, offload_);
  }
  co_return storage_.get();
}

asio::awaitable<document_copies::copy> files::copy_of(std::string key) {
  auto* const from = co_await storage();
  const document_copies::fetch fetch = [this, from, key](std::filesystem::path to) {
    return storage::get_file(*from, key, std::move(to), largest_, offload_);
  };
  co_return co_await copies_.get(key, fetch);
}

}  // namespace rowrunner::documents
