#include "common/storage/local_store.hpp"

#include <filesystem>
#include <rowrunner/bad_input.hpp>
#include <utility>

#include "common/http/url.hpp"

namespace rowrunner::storage {
namespace {

std::string absolute(const std::string& root) {
  auto path = std::filesystem::absolute(root).lexically_normal().string();
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

}  // namespace

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

asio::awaitable<void> local_store::put_from(std::string key, std::shared_ptr<byte_source> from,
                                            std::string) {
  const auto begin = [files = files_, key] { return files->begin(key); };
  const auto pending = co_await result_of<std::shared_ptr<folder::writer>>(offload_, begin);
  from->rewind();
  std::uint64_t size = 0;
  for (;;) {
    std::string piece = co_await from->read();
    if (piece.empty()) break;
    size += piece.size();
    const auto write = [pending, piece = std::move(piece)] {
      pending->write(piece);
      return true;
    };
    co_await result_of<bool>(offload_, write);
  }
  if (size != from->size()) {
    throw error("storage folder " + files_->root() + ": " + key + " has " + std::to_string(size) +
                    " bytes instead of " + std::to_string(from->size()),
                true);
  }
  const auto commit = [pending] {
    pending->commit();
    return true;
  };
  co_await result_of<bool>(offload_, commit);
}

asio::awaitable<bool> local_store::get_to(std::string key, std::shared_ptr<byte_sink> to,
                                          std::uint64_t max_bytes) {
  const auto open = [files = files_, key = std::move(key), max_bytes] {
    return files->open(key, max_bytes);
  };
  const auto file = co_await result_of<std::shared_ptr<folder::reader>>(offload_, open);
  if (!file) co_return false;
  to->restart();
  for (;;) {
    const auto read = [file] { return file->read(stream_piece); };
    std::string piece = co_await result_of<std::string>(offload_, read);
    if (piece.empty()) co_return true;
    co_await to->write(std::move(piece));
  }
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
