#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/byte_stream.hpp"

namespace rowrunner::http {

/// Header fields in their order. Names are compared without regard to case.
class header_list {
 public:
  using field = std::pair<std::string, std::string>;

  void add(std::string name, std::string value);
  /// Replaces all fields of that name.
  void set(std::string name, std::string value);
  void erase(std::string_view name);

  /// The first field of that name.
  std::optional<std::string> get(std::string_view name) const;
  bool contains(std::string_view name) const;

  auto begin() const { return fields_.begin(); }
  auto end() const { return fields_.end(); }
  std::size_t size() const { return fields_.size(); }

 private:
  std::vector<field> fields_;
};

/// Make it as a named variable, not inside of a co_await expression: g++ 12 destroys such
/// temporaries twice.
struct request {
  explicit request(std::string address, std::string verb = "GET")
      : method(std::move(verb)), url(std::move(address)) {}

  std::string method;
  std::string url;
  /// Host, Content-Length and Connection are the client's own; User-Agent may be set.
  header_list headers;
  std::string body;
  /// Sent instead of `body`, in pieces.
  std::shared_ptr<byte_source> source;
  /// Gets the body of an answer whose status is 2xx, in pieces; response::body is empty then. After
  /// an error it may have got a part.
  std::shared_ptr<byte_sink> sink;
  /// From the first look-up to the last byte, redirects included.
  std::chrono::milliseconds timeout{30'000};
  /// The longest wait for the other side to take or to send the next piece. Zero: `timeout` alone.
  std::chrono::milliseconds stall_timeout{0};
  /// A longer body is an error, found before the memory is used; that of an answer whose status is
  /// not 2xx is cut off sooner (client_options::max_error_body).
  std::size_t max_body = 8 * 1024 * 1024;
  /// A longer body is cut off instead: its beginning is all that is wanted.
  bool cut_body = false;
  /// How many redirects to follow. 0: a redirect is an answer like any other.
  int follow_redirects = 0;
};

struct response {
  int status = 0;
  header_list headers;
  std::string body;
  /// Where the answer came from, after redirects.
  std::string final_url;

  bool ok() const noexcept { return status >= 200 && status < 300; }
};

/// How long the server asks to wait: a Retry-After in seconds or as a date. Nothing if there is
/// none that makes sense; zero for a date in the past.
std::optional<std::chrono::milliseconds> retry_after(
    const response& answer,
    std::chrono::system_clock::time_point now = std::chrono::system_clock::now());

}  // namespace rowrunner::http
