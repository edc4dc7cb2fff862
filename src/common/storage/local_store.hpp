#pragma once

#include <functional>
#include <memory>

#include "common/storage/folder.hpp"
#include "common/storage/store.hpp"

namespace rowrunner::storage {

/// Runs work that blocks, elsewhere, and returns when it is done. The work does not throw. If the
/// coroutine is cancelled meanwhile, the work may go on: it holds all that it needs.
using offload = std::function<asio::awaitable<void>(std::function<void()>)>;

/// On the calling thread.
asio::awaitable<void> run_inline(std::function<void()> work);

/// Files in a folder of this machine.
class local_store : public store {
 public:
  explicit local_store(const std::string& root, offload elsewhere = run_inline);

  asio::awaitable<void> put(std::string key, std::string bytes, std::string content_type) override;
  asio::awaitable<std::optional<std::string>> get(std::string key, std::size_t max_bytes) override;
  asio::awaitable<bool> exists(std::string key) override;
  asio::awaitable<void> remove(std::string key) override;

  /// file:// and the absolute path.
  std::string url(std::string_view key) const override;
  std::optional<std::string> key_of(std::string_view url) const override;
  void check_writable() override { files_->check_writable(); }

 private:
  /// Shared with work that goes on after everybody has left.
  const std::shared_ptr<const folder> files_;
  const std::string base_url_;
  const offload offload_;
};

}  // namespace rowrunner::storage
