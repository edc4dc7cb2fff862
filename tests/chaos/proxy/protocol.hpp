#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rowrunner::chaos {

enum class direction { to_server, to_client };

/// The type of what comes before a connection is open and has no type byte: the startup message,
/// and the requests for encryption and cancellation.
constexpr char untyped = '\0';

/// One whole message of PostgreSQL's protocol (version 3), byte for byte.
struct message {
  char type = untyped;
  std::string bytes{};

  /// What stands behind the type and the length.
  std::string_view body() const;
  /// The number that says what an untyped message is.
  std::uint32_t request_code() const;
  /// SSLRequest or GSSENCRequest.
  bool asks_for_encryption() const;
};

/// Cuts a stream of bytes into messages.
class framer {
 public:
  explicit framer(direction way) : started_(way == direction::to_client) {}

  void feed(std::string_view bytes) { buffer_ += bytes; }
  std::optional<message> next();
  /// What has come of a message that is not whole yet.
  std::size_t held() const { return buffer_.size(); }

 private:
  std::string buffer_;
  bool started_;
};

/// Reads the fields of a body. Past its end there are only zeros and empty texts.
class body_reader {
 public:
  explicit body_reader(std::string_view body) : rest_(body) {}

  std::string_view text();
  std::uint16_t int16();
  std::uint32_t int32();
  std::string_view bytes(std::size_t length);

 private:
  std::string_view rest_;
};

/// The statement of a Bind, and its parameters as they stand there; NULL is empty, and binary
/// arrays of uuids and numbers are written as text.
struct binding {
  std::string portal;
  std::string statement;
  std::vector<std::string> params;
};
binding read_bind(std::string_view body);

/// The type byte of a message by its name in PostgreSQL's manual, as in "CommandComplete".
std::optional<char> type_named(std::string_view name, direction way);

}  // namespace rowrunner::chaos
