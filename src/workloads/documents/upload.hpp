#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "common/byte_stream.hpp"
#include "workloads/documents/files.hpp"

namespace rowrunner::documents {

/// The file of an upload, on the disk of the server.
struct received_file {
  std::string title;
  std::uint64_t bytes = 0;
};

/// Streams the part `file` of a multipart/form-data body to `out`. Throws request_error in the
/// words of the document: 422 for a body without such a file, 413 for one that is too large.
asio::awaitable<received_file> receive_file(std::string content_type,
                                            std::shared_ptr<byte_source> body,
                                            std::filesystem::path out, std::uint64_t limit,
                                            offload elsewhere);

/// How many pages it has. Throws request_error: 422 for what is no PDF that can be read.
asio::awaitable<int> count_pages(child::pool& children, std::filesystem::path file);

}  // namespace rowrunner::documents
