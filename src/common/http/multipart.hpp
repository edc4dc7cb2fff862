#pragma once

#include <boost/asio/awaitable.hpp>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "common/byte_stream.hpp"

namespace rowrunner::http {

/// The boundary that a Content-Type of multipart/form-data names. Throws bad_input.
std::string multipart_boundary(std::string_view content_type);

/// What the header of a part says.
struct part_head {
  std::string name;
  /// Without folders; nothing if it is a plain field.
  std::optional<std::string> filename;
  std::string content_type;
};

/// Throws bad_input for a part that has no name.
part_head parse_part_head(std::string_view lines);

/// The parts of a multipart/form-data body, one after the other and in pieces: nothing of it is
/// kept but the piece that is being read. All functions throw bad_input for a body that is not what
/// it should be, and what the source throws.
class multipart_reader {
 public:
  multipart_reader(std::shared_ptr<byte_source> from, std::string_view boundary);

  /// The next part; skips what was not read of the one before. Nothing after the last one.
  boost::asio::awaitable<std::optional<part_head>> next_part();
  /// The next piece of the part; empty at its end.
  boost::asio::awaitable<std::string> read();

 private:
  enum class place { between, inside, end };

  boost::asio::awaitable<void> need(std::size_t bytes);
  boost::asio::awaitable<bool> fill();
  boost::asio::awaitable<std::string> read_head();

  const std::shared_ptr<byte_source> from_;
  const std::string delimiter_;
  std::string buffer_;
  place at_ = place::inside;
  int parts_ = 0;
};

}  // namespace rowrunner::http
