#pragma once

#include <memory>

#include "common/offload.hpp"
#include "common/storage/folder.hpp"
#include "common/storage/store.hpp"

namespace rowrunner::storage {

/// Files in a folder of this machine.
class local_store : public store {
 public:
  explicit local_store(const std::string& root, offload elsewhere = run_inline);

  asio::awaitable<void> put(std::string key, std::string bytes, std::string content_type) override;
  asio::awaitable<std::optional<std::string>> get(std::string key, std::size_t max_bytes) override;
  asio::awaitable<void> put_from(std::string key, std::shared_ptr<byte_source> from,
                                 std::string content_type) override;
  asio::awaitable<bool> get_to(std::string key, std::shared_ptr<byte_sink> to,
                               std::uint64_t max_bytes) override;
  asio::awaitable<bool> exists(std::string key) override;
  asio::awaitable<void> remove(std::string key) override;

  /// file:// and the absolute path.
  std::string url(std::string_view key) const override;
  std::optional<std::string> key_of(std::string_view url) const override;
  void check_writable() override { files_->check_writable(); }

 private:
  /// Shared with work on the pool, which may outlive the store.
  const std::shared_ptr<const folder> files_;
  const std::string base_url_;
  const offload offload_;
};

}  // namespace rowrunner::storage
