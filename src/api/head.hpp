#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "api/limits.hpp"
#include "api/message.hpp"

namespace rowrunner::api {

/// Looks at the bytes of a request as they come, before any parser: where the header ends, and
/// whether it is one. What proxies and servers read differently (folded fields, bare line feeds,
/// control characters) is refused.
class head_scanner {
 public:
  explicit head_scanner(const server_limits& allowed) : allowed_(allowed) {}

  /// All bytes of this request so far. Does not look twice at what it has seen.
  void look_at(std::string_view bytes);

  /// How many bytes the header has, with the empty line at its end; nothing if it is not complete.
  std::optional<std::size_t> size() const { return size_; }
  const std::optional<problem>& refusal() const { return refusal_; }

 private:
  bool accept(char byte);
  bool end_line();
  bool refuse(problem why);

  const server_limits& allowed_;
  std::size_t seen_ = 0;
  std::size_t line_start_ = 0;
  std::size_t lines_ = 0;
  char last_ = '\0';
  std::optional<std::size_t> size_;
  std::optional<problem> refusal_;
};

/// Why a header that the parser takes must not be served; the connection is closed then.
std::optional<problem> check_head(const request_head& head);

/// The answer to a header or a body that the parser refused.
problem refusal_of(const boost::system::error_code& error);

}  // namespace rowrunner::api
