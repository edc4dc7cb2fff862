#pragma once

#include <boost/asio/thread_pool.hpp>
#include <memory>

#include "common/environment.hpp"
#include "common/http/client.hpp"
#include "common/offload.hpp"
#include "common/storage/store.hpp"

namespace rowrunner::pdf_batch {

namespace asio = boost::asio;

/// The storage of the workers, as the HTTP server sees it. It is opened at the first use, since a
/// server without PDF files needs none.
class server_files {
 public:
  server_files(const asio::any_io_executor& executor, environment env);

  /// Stores a body that is still being received. Throws storage::error, and what the body throws.
  asio::awaitable<void> put(std::string key, std::shared_ptr<byte_source> from);

  /// The bytes of a stored file; null if there is none. They lie in a temporary file that has no
  /// name any more. Throws storage::error and std::system_error.
  asio::awaitable<std::shared_ptr<byte_source>> get(std::string key, std::uint64_t max_bytes);

 private:
  storage::store& store();

  const environment env_;
  http::client http_;
  asio::thread_pool threads_{2};
  const offload elsewhere_;
  std::unique_ptr<storage::store> store_;
};

}  // namespace rowrunner::pdf_batch
