#include "common/storage/local_store.hpp"

#include <exception>
#include <filesystem>
#include <rowrunner/bad_input.hpp>
#include <utility>

#include "common/http/url.hpp"

namespace rowrunner::storage {
namespace {

template <typename Result>
struct task {
  Result result{};
  std::exception_ptr failure{};
};

// The work's result and failure live outside of the coroutine, which may be gone when it ends.
template <typename Result, typename Work>
asio::awaitable<Result> result_of(const offload& elsewhere, Work work) {
  const auto shared = std::make_shared<task<Result>>();
  std::function<void()> whole = [shared, work = std::move(work)] {
    try {
      shared->result = work();
    } catch (...) {
      shared->failure = std::current_exception();
    }
  };
  co_await elsewhere(std::move(whole));
  if (shared->failure) std::rethrow_exception(shared->failure);
  co_return std::move(shared->result);
}

std::string absolute(const std::string& root) {
  auto path = std::filesystem::absolute(root).lexically_normal().string();
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

}  // namespace

asio::awaitable<void> run_inline(std::function<void()> work) {
  work();
  co_return;
}

local_store::local_store(const std::string& root, offload elsewhere)
    : files_(std::make_shared<const folder>(absolute(root))),
      base_url_("file:///" + url_path(files_->root().substr(1)) + "/"),
      offload_(std::move(elsewhere)) {}

asio::awaitable<void> local_store::put(std::string key, std::string bytes, std::string) {
  auto work = [files = files_, key = std::move(key), bytes = std::move(bytes)] {
    files->put(key, bytes);
    return true;
  };
  co_await result_of<bool>(offload_, std::move(work));
}

asio::awaitable<std::optional<std::string>> local_store::get(std::string key,
                                                             std::size_t max_bytes) {
  return result_of<std::optional<std::string>>(
      offload_,
      [files = files_, key = std::move(key), max_bytes] { return files->get(key, max_bytes); });
}

asio::awaitable<bool> local_store::exists(std::string key) {
  return result_of<bool>(offload_,
                         [files = files_, key = std::move(key)] { return files->exists(key); });
}

asio::awaitable<void> local_store::remove(std::string key) {
  auto work = [files = files_, key = std::move(key)] {
    files->remove(key);
    return true;
  };
  co_await result_of<bool>(offload_, std::move(work));
}

std::string local_store::url(std::string_view key) const {
  check_key(key);
  return base_url_ + url_path(key);
}

std::optional<std::string> local_store::key_of(std::string_view url) const {
  if (!url.starts_with(base_url_)) return std::nullopt;
  std::string key = http::percent_decode(url.substr(base_url_.size()));
  try {
    check_key(key);
  } catch (const bad_input&) {
    return std::nullopt;
  }
  return key;
}

}  // namespace rowrunner::storage
