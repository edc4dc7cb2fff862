#pragma once

#include <boost/asio/awaitable.hpp>
#include <functional>
#include <memory>

#include "common/byte_stream.hpp"

namespace rowrunner::pdf_batch {

namespace asio = boost::asio;

/// The body of an upload, for a storage that replaces a file when it has got the last byte. Its
/// read() throws bad_input if the file is no PDF, and what `check` throws before the last bytes: by
/// then another upload may have taken its place.
class upload_body : public byte_source {
 public:
  upload_body(std::shared_ptr<byte_source> from, std::function<asio::awaitable<void>()> check)
      : from_(std::move(from)), check_(std::move(check)) {}

  std::uint64_t size() const override { return from_->size(); }
  void rewind() override;
  asio::awaitable<std::string> read() override;

 private:
  asio::awaitable<std::string> read_start();

  const std::shared_ptr<byte_source> from_;
  const std::function<asio::awaitable<void>()> check_;
  std::uint64_t given_ = 0;
};

}  // namespace rowrunner::pdf_batch
