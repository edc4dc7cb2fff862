#include "workloads/webhooks/schedule.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "common/errors.hpp"
#include "common/text.hpp"

namespace rowrunner::webhooks {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t most_waits = 100;
constexpr double longest_wait_ms = 30.0 * 86'400'000;

std::string_view trimmed(std::string_view text) {
  const auto from = text.find_first_not_of(" \t");
  if (from == std::string_view::npos) return {};
  return text.substr(from, text.find_last_not_of(" \t") - from + 1);
}

std::optional<milliseconds> parse_wait(std::string_view text) {
  static constexpr std::array<std::pair<std::string_view, double>, 5> units{
      {{"ms", 1}, {"s", 1000}, {"m", 60'000}, {"h", 3'600'000}, {"d", 86'400'000}}};
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return std::nullopt;
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  for (const auto& [name, ms] : units) {
    const double wait = number * ms;
    // Written so that NaN is refused too.
    if (unit == name && wait >= 0 && wait <= longest_wait_ms) {
      return milliseconds(std::llround(wait));
    }
  }
  return std::nullopt;
}

}  // namespace

retry_schedule retry_schedule::recommended() {
  using std::chrono::hours;
  using std::chrono::minutes;
  using std::chrono::seconds;
  return {{seconds(5), minutes(5), minutes(30), hours(2), hours(5), hours(10), hours(14), hours(20),
           hours(24)}};
}

retry_schedule parse_schedule(std::string_view text, const std::string& name) {
  retry_schedule out;
  for (std::size_t from = 0; from <= text.size();) {
    const auto comma = std::min(text.find(',', from), text.size());
    const auto wait = parse_wait(trimmed(text.substr(from, comma - from)));
    if (!wait || out.waits.size() == most_waits) {
      throw usage_error(name + " must be waits such as 5s,5m,2h (ms, s, m, h, d; at most " +
                        std::to_string(most_waits) + " and 30 days), not '" + printable(text, 60) +
                        "'");
    }
    out.waits.push_back(*wait);
    from = comma + 1;
  }
  return out;
}

milliseconds wait_after(const retry_schedule& schedule, int failures,
                        std::optional<milliseconds> retry_after, double random) {
  const auto last = static_cast<int>(schedule.waits.size());
  const auto step =
      last == 0 ? milliseconds(0)
                : schedule.waits[static_cast<std::size_t>(std::clamp(failures, 1, last) - 1)];
  const auto asked = std::min(retry_after.value_or(milliseconds(0)), longest_retry_after);
  const auto least = std::max(step, asked);
  return least + milliseconds(std::llround(static_cast<double>(least.count()) * schedule.jitter *
                                           std::clamp(random, 0.0, 1.0)));
}

}  // namespace rowrunner::webhooks
