#include "workloads/documents/upload.hpp"

#include "api/message.hpp"
#include "common/errors.hpp"
#include "common/file_stream.hpp"
#include "common/http/multipart.hpp"
#include "common/text.hpp"
#include "workloads/pdf/pdf.hpp"

namespace rowrunner::documents {

using api::problem;
using api::request_error;

namespace {

constexpr std::size_t longest_title = 500;

request_error bad_file(const std::string& why) {
  return request_error(problem(422, "bad_file", why));
}

/// As many characters as a title may have.
std::string cut_title(std::string_view name) {
  std::size_t at = 0;
  for (std::size_t count = 0; at < name.size() && count < longest_title; ++count) {
    at += std::max<std::size_t>(1, utf8_length(name.substr(at)));
  }
  return std::string(name.substr(0, at));
}

asio::awaitable<std::uint64_t> save_part(http::multipart_reader& from, std::filesystem::path out,
                                         std::uint64_t limit, offload elsewhere) {
  file_sink to(std::move(out), std::move(elsewhere));
  to.restart();
  std::uint64_t bytes = 0;
  for (;;) {
    auto piece = co_await from.read();
    if (piece.empty()) break;
    bytes += piece.size();
    if (bytes > limit) {
      throw request_error(
          problem(413, "too_large", "file is larger than " + std::to_string(limit >> 20) + " MB"));
    }
    co_await to.write(std::move(piece));
  }
  co_await to.finish();
  co_return bytes;
}

asio::awaitable<received_file> read_parts(http::multipart_reader& parts, std::filesystem::path out,
                                          std::uint64_t limit, offload elsewhere) {
  std::optional<received_file> found;
  for (;;) {
    const auto part = co_await parts.next_part();
    if (!part) break;
    if (part->name != "file") continue;
    if (found) throw bad_file("file is given twice");
    if (!part->filename) throw bad_file("file must be a file, not a text");
    if (part->filename->empty()) throw bad_file("file has no name");
    received_file file;
    file.title = cut_title(*part->filename);
    file.bytes = co_await save_part(parts, out, limit, elsewhere);
    if (file.bytes == 0) throw bad_file("file is empty");
    found = std::move(file);
  }
  if (!found) throw bad_file("file is required");
  co_return std::move(*found);
}

}  // namespace

asio::awaitable<received_file> receive_file(std::string content_type,
                                            std::shared_ptr<byte_source> body,
                                            std::filesystem::path out, std::uint64_t limit,
                                            offload elsewhere) {
  try {
    http::multipart_reader parts(std::move(body), http::multipart_boundary(content_type));
    co_return co_await read_parts(parts, std::move(out), limit, std::move(elsewhere));
  } catch (const bad_input& why) {
    throw bad_file(std::string("file is required: ") + why.what());
  }
}

asio::awaitable<int> count_pages(child::pool& children, std::filesystem::path file) {
  try {
    co_return co_await pdf::count_pages(children, std::move(file));
  } catch (const child::error& why) {
    if (why.why == child::failure::unavailable) {
      throw request_error(problem(503, "unavailable", why.what(), true));
    }
    throw bad_file(std::string("file cannot be read: ") + why.what());
  }
}

}  // namespace rowrunner::documents
