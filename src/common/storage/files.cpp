#include "common/storage/files.hpp"

#include "common/file_stream.hpp"

namespace rowrunner::storage {

asio::awaitable<void> put_file(store& to, std::string key, std::filesystem::path from,
                               std::string content_type, offload elsewhere) {
  const auto source = std::make_shared<file_source>(from, std::move(elsewhere));
  co_await to.put_from(std::move(key), source, std::move(content_type));
}

asio::awaitable<bool> get_file(store& from, std::string key, std::filesystem::path to,
                               std::uint64_t max_bytes, offload elsewhere) {
  const auto sink = std::make_shared<file_sink>(std::move(to), std::move(elsewhere));
  const bool found = co_await from.get_to(std::move(key), sink, max_bytes);
  if (found) co_await sink->finish();
  co_return found;
}

}  // namespace rowrunner::storage
