#pragma once

#include <chrono>
#include <limits>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "support/http_stand_in.hpp"
#include "support/process.hpp"

namespace rowrunner::testing {

/// The smallest whole PNG file that carries a text (of ASCII).
std::string tiny_png(std::string_view text);

/// The body of a good answer of the images API.
std::string image_answer_body(std::string_view picture);

/// A server that speaks the OpenAI images API, for places without area and description. It answers
/// with a tiny picture that carries the name of the place, so that a test can tell whose it is, and
/// keeps count of the pictures, which is what one pays for.
class image_api_stand_in {
 public:
  static constexpr int always = std::numeric_limits<int>::max();

  /// Each picture takes that long.
  explicit image_api_stand_in(std::chrono::milliseconds each = {});

  /// The first `times` questions about this place are answered so instead.
  void answer_about(const std::string& spot, http_stand_in::route answer, int times = always);

  int asked(const std::string& spot) const;
  /// How often a picture of this place was made.
  int paid(const std::string& spot) const;

  /// What the worker needs to be told.
  process_environment settings() const;
  http_stand_in& server() noexcept { return server_; }

 private:
  struct place {
    http_stand_in::route answer;
    int times = 0;
    int asked = 0;
    int paid = 0;
  };

  void serve(http_exchange& exchange);

  const std::chrono::milliseconds each_;
  mutable std::mutex mutex_;
  std::map<std::string, place> places_;
  /// The last member: it is the first to go, and with it the threads that use the others.
  http_stand_in server_;
};

}  // namespace rowrunner::testing
