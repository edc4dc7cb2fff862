#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/thread_pool.hpp>
#include <filesystem>
#include <memory>
#include <string>

#include "common/child/pool.hpp"
#include "common/environment.hpp"
#include "common/http/client.hpp"
#include "common/offload.hpp"
#include "common/storage/store.hpp"
#include "workloads/documents/copies.hpp"
#include "workloads/documents/file_calls.hpp"

namespace rowrunner::documents {

namespace asio = boost::asio;

/// What a server needs for documents: the storage that the workers read from, and child processes
/// that look into PDF files. They are made at the first request, as a server without documents
/// needs none.
class files {
 public:
  explicit files(environment env);

  std::uint64_t largest() const { return largest_; }
  /// On the executor of the calling coroutine, which must be the same each time.
  asio::awaitable<child::pool*> children();
  asio::awaitable<storage::store*> storage();
  const offload& elsewhere() const { return offload_; }
  /// A stored file on this machine; nullptr if there is none. It is kept for a while.
  asio::awaitable<document_copies::copy> copy_of(std::string key);
  /// For a call that copies a file to this machine; to be taken before.
  file_calls& calls() { return calls_; }

 private:
  const environment env_;
  const std::uint64_t largest_;
  asio::thread_pool threads_{2};
  const offload offload_;
  file_calls calls_;
  std::unique_ptr<http::client> http_;
  std::unique_ptr<storage::store> storage_;
  std::unique_ptr<child::pool> children_;
  document_copies copies_;
};

}  // namespace rowrunner::documents
