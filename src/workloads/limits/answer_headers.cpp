#include "workloads/limits/answer_headers.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <ctime>
#include <string>
#include <utility>

namespace rowrunner::limits {

using std::chrono::milliseconds;
using std::chrono::system_clock;

namespace {

/// Limit, rest and reset of requests or tokens under one provider's names.
struct names {
  const char* limit;
  const char* remaining;
  const char* reset;
};

constexpr std::array requests{
    names{"x-ratelimit-limit-requests", "x-ratelimit-remaining-requests",
          "x-ratelimit-reset-requests"},
    names{"anthropic-ratelimit-requests-limit", "anthropic-ratelimit-requests-remaining",
          "anthropic-ratelimit-requests-reset"},
    names{"x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"},
    names{"ratelimit-limit", "ratelimit-remaining", "ratelimit-reset"}};
constexpr std::array tokens{
    names{"x-ratelimit-limit-tokens", "x-ratelimit-remaining-tokens", "x-ratelimit-reset-tokens"},
    names{"anthropic-ratelimit-tokens-limit", "anthropic-ratelimit-tokens-remaining",
          "anthropic-ratelimit-tokens-reset"}};

/// A number and what follows it.
template <typename Number>
std::optional<std::pair<Number, std::string_view>> leading(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{}) return std::nullopt;
  return std::pair(
      value, std::string_view(end, static_cast<std::size_t>(text.data() + text.size() - end)));
}

/// A list may follow, as in "100, 100;w=60".
std::optional<std::int64_t> whole_number(const std::optional<std::string>& text) {
  if (!text) return std::nullopt;
  const auto found = leading<std::int64_t>(*text);
  if (!found || !(found->second.empty() || found->second[0] == ',' || found->second[0] == ';')) {
    return std::nullopt;
  }
  return found->first;
}

std::optional<double> unit_in_ms(std::string_view unit) {
  if (unit == "ms") return 1;
  if (unit == "s") return 1'000;
  if (unit == "m") return 60'000;
  if (unit == "h") return 3'600'000;
  if (unit == "d") return 86'400'000;
  return std::nullopt;
}

/// As Go writes a duration: 1h2m3.5s.
std::optional<milliseconds> parse_duration(std::string_view text) {
  double sum = 0;
  while (!text.empty()) {
    const auto number = leading<double>(text);
    if (!number || !(number->first >= 0)) return std::nullopt;
    const auto length = number->second.find_first_of("0123456789.");
    const auto unit = unit_in_ms(number->second.substr(0, length));
    if (!unit) return std::nullopt;
    sum += number->first * *unit;
    text = length == std::string_view::npos ? "" : number->second.substr(length);
  }
  if (!(sum < 1e12)) return std::nullopt;
  return milliseconds(std::llround(sum));
}

std::optional<milliseconds> parse_time(const std::string& text, system_clock::time_point now) {
  std::tm parts{};
  const char* rest = strptime(text.c_str(), "%Y-%m-%dT%H:%M:%S", &parts);
  if (rest == nullptr) return std::nullopt;
  if (*rest == '.') {
    ++rest;
    while (*rest >= '0' && *rest <= '9') ++rest;
  }
  const std::string_view zone(rest);
  if (zone != "Z" && zone != "+00:00") return std::nullopt;
  const auto left = system_clock::from_time_t(timegm(&parts)) - now;
  return std::max(milliseconds(0), std::chrono::duration_cast<milliseconds>(left));
}

struct limit_facts {
  std::int64_t limit;
  std::int64_t remaining;
  milliseconds reset;
};

template <std::size_t N>
std::optional<limit_facts> find(const std::array<names, N>& spellings, const header_lookup& header,
                                system_clock::time_point now) {
  for (const auto& each : spellings) {
    const auto limit = whole_number(header(each.limit));
    const auto remaining = whole_number(header(each.remaining));
    const auto reset = parse_reset(header(each.reset).value_or(""), now);
    if (!limit || !remaining || !reset) continue;
    if (*limit <= 0 || *remaining < 0 || *remaining > *limit) continue;
    return limit_facts{*limit, *remaining, *reset};
  }
  return std::nullopt;
}

}  // namespace

std::optional<milliseconds> parse_reset(std::string_view text, system_clock::time_point now) {
  const auto number = leading<double>(text);
  if (!number || !(number->first >= 0)) return std::nullopt;
  if (!number->second.empty()) {
    return number->second[0] == '-' ? parse_time(std::string{text}, now) : parse_duration(text);
  }
  // A wait of thirty years makes no sense: so large a number is a time.
  if (number->first < 1e9) return milliseconds(std::llround(number->first * 1000));
  if (number->first > 1e11) return std::nullopt;
  const double left = number->first - std::chrono::duration<double>(now.time_since_epoch()).count();
  return milliseconds(std::max(0LL, std::llround(left * 1000)));
}

answer_facts facts_of(int status, const header_lookup& header, system_clock::time_point now) {
  answer_facts out;
  out.status = status;
  if (auto wait = header("retry-after")) {
    http::response only;
    only.headers.add("retry-after", std::move(*wait));
    out.retry_after = http::retry_after(only, now);
  }
  if (const auto found = find(requests, header, now)) {
    out.limit_requests = found->limit;
    out.remaining_requests = found->remaining;
    out.reset_requests = found->reset;
  }
  if (const auto found = find(tokens, header, now)) {
    out.limit_tokens = found->limit;
    out.remaining_tokens = found->remaining;
    out.reset_tokens = found->reset;
  }
  return out;
}

answer_facts facts_of(const http::response& answer, system_clock::time_point now) {
  const auto header = [&](std::string_view name) { return answer.headers.get(name); };
  return facts_of(answer.status, header, now);
}

}  // namespace rowrunner::limits
