#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstddef>
#include <cstdint>
#include <string>

namespace rowrunner {

/// How much of a stream is in memory at a time.
inline constexpr std::size_t stream_piece = 256 * 1024;

/// Bytes of a known number that are read in pieces, and again from the start if a try failed.
class byte_source {
 public:
  byte_source() = default;
  virtual ~byte_source() = default;
  byte_source(const byte_source&) = delete;
  byte_source& operator=(const byte_source&) = delete;

  virtual std::uint64_t size() const = 0;
  virtual void rewind() = 0;
  /// The next piece; empty at the end.
  virtual boost::asio::awaitable<std::string> read() = 0;
};

/// Takes bytes in pieces.
class byte_sink {
 public:
  byte_sink() = default;
  virtual ~byte_sink() = default;
  byte_sink(const byte_sink&) = delete;
  byte_sink& operator=(const byte_sink&) = delete;

  /// Called before the first piece of each try: what came before is void.
  virtual void restart() = 0;
  /// Takes the bytes, so that work on another thread may go on after a cancellation.
  virtual boost::asio::awaitable<void> write(std::string piece) = 0;
};

}  // namespace rowrunner
