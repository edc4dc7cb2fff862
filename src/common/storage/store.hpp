#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "common/byte_stream.hpp"
#include "common/storage/error.hpp"
#include "common/storage/key.hpp"

namespace rowrunner::storage {

namespace asio = boost::asio;

/// Files by key. All functions throw bad_input for what check_key refuses, and error. All may be
/// cancelled; a put that was cancelled has stored all or nothing.
class store {
 public:
  store() = default;
  virtual ~store() = default;
  store(const store&) = delete;
  store& operator=(const store&) = delete;

  /// When it returns, the whole file is there for good, and replaces any earlier one; readers
  /// see the old or the new one, never a part.
  virtual asio::awaitable<void> put(std::string key, std::string bytes,
                                    std::string content_type) = 0;
  /// Nothing if there is no such file. A file larger than `max_bytes` is an error.
  virtual asio::awaitable<std::optional<std::string>> get(std::string key,
                                                          std::size_t max_bytes) = 0;
  /// The same in pieces, for files that are too large for the memory. A source that does not give
  /// as many bytes as it says is an error.
  virtual asio::awaitable<void> put_from(std::string key, std::shared_ptr<byte_source> from,
                                         std::string content_type) = 0;
  /// False if there is no such file. After an error the sink has a part of the file, or all of it.
  virtual asio::awaitable<bool> get_to(std::string key, std::shared_ptr<byte_sink> to,
                                       std::uint64_t max_bytes) = 0;
  virtual asio::awaitable<bool> exists(std::string key) = 0;
  /// Does nothing if there is no such file.
  virtual asio::awaitable<void> remove(std::string key) = 0;

  /// The address to hand out for a file, whether it exists or not.
  virtual std::string url(std::string_view key) const = 0;
  /// The opposite: nothing if the address is not one of this storage.
  virtual std::optional<std::string> key_of(std::string_view url) const = 0;

  /// To be called at start, so that no work is done for a result that cannot be stored.
  virtual void check_writable() {}
};

}  // namespace rowrunner::storage
