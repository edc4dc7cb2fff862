#pragma once

#include <chrono>
#include <string>

#include "workloads/scoring/models/model.hpp"
#include "workloads/scoring/run_config.hpp"

namespace rowrunner::scoring {

/// What becomes of a (row, block) after an answer.
enum class next_step {
  write,      ///< The scores are good.
  ask_again,  ///< With an attempt charged.
  wait,       ///< Ask again, without one charged: the other side is busy.
  fall_back,  ///< Take what there is.
  fail,       ///< This (row, block) cannot be scored.
  stop,       ///< Nothing can be asked with this key: the chunk fails at once.
};

/// There is one budget of attempts for each (row, block), whatever uses it up: the network, the
/// server or an answer that does not fit.
constexpr next_step after_reply(reply_kind kind, bool fits, bool usable, int retry_count,
                                const run_config& config) {
  switch (kind) {
    case reply_kind::busy:
      return next_step::wait;
    case reply_kind::key_dead:
      return next_step::stop;
    case reply_kind::row_fails:
      return next_step::fail;
    case reply_kind::answered:
      if (fits) return next_step::write;
      break;
    case reply_kind::retry:
      break;
  }
  if (retry_count < config.max_retries) return next_step::ask_again;
  return usable && config.fallback ? next_step::fall_back : next_step::fail;
}

/// The wait before a question is asked again: none after an answer that does not fit, 2^n × 0.25 s
/// up to 30 s after an error, or what the other side asks for.
constexpr std::chrono::milliseconds retry_pause(reply_kind kind, int retry_count,
                                                std::optional<std::chrono::milliseconds> asked) {
  if (kind == reply_kind::answered) return std::chrono::milliseconds(0);
  const std::chrono::milliseconds own(retry_count >= 7 ? 30'000 : 250 * (1 << retry_count));
  return asked && *asked > own ? *asked : own;
}

}  // namespace rowrunner::scoring
