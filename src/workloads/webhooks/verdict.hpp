#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "common/http/error.hpp"
#include "common/http/message.hpp"
#include "common/http/url.hpp"

namespace rowrunner::webhooks {

/// How a receiver says that it has taken an event.
enum class success { by_status, by_body };

/// "status" or "body".
success success_named(std::string_view name);

/// What follows an answer.
enum class next_step {
  done,       ///< delivered
  ask_there,  ///< a GET at `where`, without body and token: the event itself was taken
  repeat,     ///< the same request at `where`
  try_again,  ///< later, `after` the time that the receiver names
  give_up,    ///< never again
};

struct verdict {
  next_step next = next_step::try_again;
  /// Why it is not done, for people.
  std::string reason{};
  std::optional<std::chrono::milliseconds> after{};
  std::optional<http::url> where{};
};

/// So many bytes of an answer are read; the rest is cut off.
inline constexpr std::size_t kept_of_answer = 64 * 1024;

/// How many redirects a delivery follows.
inline constexpr int most_redirects = 3;

/// Decides by the answer of `from`, after so many redirects. 301, 302 and 303 mean that the event
/// was taken, and where its answer is: Google Apps Script answers that way, and a POST that is
/// repeated there fails for ever. 307 and 308 mean that it was not taken.
verdict judge(const http::response& answer, const http::url& from, success by, int redirects,
              std::chrono::system_clock::time_point now);

/// The same for a call without an answer. `in_time` is false if the time for it was used up.
verdict judge(const http::error& failure, bool in_time, std::chrono::milliseconds timeout);

/// Why the text of an answer with a good status means a failure: {"ok": false}, {"success": false},
/// a page in HTML, or an object that was cut off before either member; nothing if it does not.
std::optional<std::string> refusal_in(const http::response& answer);

}  // namespace rowrunner::webhooks
