#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include "workloads/limits/facts.hpp"
#include "workloads/limits/moment.hpp"

namespace rowrunner::limits::testing {

/// A service with a token bucket, as its limiter is on the other side.
class provider {
 public:
  using rate_function = std::function<double(double seconds)>;

  /// How it tells its limit in headers, with the time until the bucket is full.
  enum class tells { nothing, milliseconds, whole_seconds };

  provider(rate_function rate, double burst, tells headers, std::optional<double> retry_after)
      : rate_(std::move(rate)),
        burst_(burst),
        tells_(headers),
        retry_after_(retry_after),
        tokens_(burst) {}

  answer_facts call(instant now) {
    const double rate = rate_(in_seconds(now));
    tokens_ = std::min(burst_, tokens_ + in_seconds(now - last_) * rate);
    last_ = now;
    answer_facts answer;
    answer.status = tokens_ >= 1 ? 200 : 429;
    if (tokens_ >= 1) tokens_ -= 1;
    if (answer.status == 429 && retry_after_) {
      answer.retry_after =
          std::chrono::milliseconds(static_cast<std::int64_t>(*retry_after_ * 1000));
    }
    if (tells_ != tells::nothing) {
      answer.limit_requests = static_cast<std::int64_t>(burst_);
      answer.remaining_requests = static_cast<std::int64_t>(std::floor(tokens_));
      const double until_full = (burst_ - tokens_) / rate;
      answer.reset_requests = std::chrono::milliseconds(static_cast<std::int64_t>(
          1000 * (tells_ == tells::milliseconds ? until_full : std::ceil(until_full))));
    }
    return answer;
  }

 private:
  rate_function rate_;
  double burst_;
  tells tells_;
  std::optional<double> retry_after_;
  double tokens_;
  instant last_{0};
};

}  // namespace rowrunner::limits::testing
