#include "workloads/pdf_batch/files.hpp"

#include "common/file_stream.hpp"
#include "common/scratch_folder.hpp"
#include "common/storage/files.hpp"
#include "common/storage/make_store.hpp"
#include "workloads/services.hpp"

namespace rowrunner::pdf_batch {

server_files::server_files(const asio::any_io_executor& executor, environment env)
    : env_(std::move(env)), http_(executor), elsewhere_(on_threads(threads_)) {}

storage::store& server_files::store() {
  if (!store_) store_ = storage::make_store(env_, http_, elsewhere_);
  return *store_;
}

asio::awaitable<void> server_files::put(std::string key, std::shared_ptr<byte_source> from) {
  co_await store().put_from(std::move(key), std::move(from), "application/pdf");
}

asio::awaitable<std::shared_ptr<byte_source>> server_files::get(std::string key,
                                                                std::uint64_t max_bytes) {
  const scratch_folder scratch;
  const auto copy = scratch.path() / "file";
  const bool found =
      co_await storage::get_file(store(), std::move(key), copy, max_bytes, elsewhere_);
  std::shared_ptr<byte_source> out;
  // Open files stay readable when their folder goes.
  if (found) out = std::make_shared<file_source>(copy, elsewhere_);
  co_return out;
}

}  // namespace rowrunner::pdf_batch
