#include "workloads/pdf_batch/upload_body.hpp"

#include "common/errors.hpp"

namespace rowrunner::pdf_batch {
namespace {

/// Readers of PDF files look for its header in the first so many bytes.
constexpr std::size_t header_within = 1024;

}  // namespace

void upload_body::rewind() {
  from_->rewind();
  given_ = 0;
}

asio::awaitable<std::string> upload_body::read_start() {
  std::string out;
  while (out.size() < header_within) {
    const auto piece = co_await from_->read();
    if (piece.empty()) break;
    out += piece;
  }
  if (out.substr(0, header_within).find("%PDF-") == std::string::npos) {
    throw bad_input("the body must be a PDF file: there is no %PDF- in its first 1,024 bytes");
  }
  co_return out;
}

asio::awaitable<std::string> upload_body::read() {
  std::string out;
  if (given_ == 0) {
    out = co_await read_start();
  } else {
    out = co_await from_->read();
  }
  given_ += out.size();
  if (!out.empty() && given_ >= size()) co_await check_();
  co_return out;
}

}  // namespace rowrunner::pdf_batch
