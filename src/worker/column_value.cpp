#include <charconv>
#include <cmath>
#include <limits>
#include <rowrunner/column_value.hpp>

#include "common/text.hpp"

namespace rowrunner::detail {

namespace {

constexpr std::size_t longest_value_shown = 100;

template <typename Number>
std::optional<Number> whole_number(std::string_view text) {
  Number value{};
  const auto* const end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data(), end, value);
  if (failure != std::errc{} || stop != end) return std::nullopt;
  return value;
}

/// Takes `digits` digits from the front of `text`; nothing if they are not there.
std::optional<int> take_digits(std::string_view& text, std::size_t digits) {
  if (text.size() < digits || text.front() == '-' || text.front() == '+') return std::nullopt;
  const auto value = whole_number<int>(text.substr(0, digits));
  text.remove_prefix(digits);
  return value;
}

bool take(std::string_view& text, char c) {
  if (text.empty() || text.front() != c) return false;
  text.remove_prefix(1);
  return true;
}

std::optional<std::chrono::sys_days> take_date(std::string_view& text) {
  const auto year_digits = text.find('-');
  if (year_digits == std::string_view::npos || year_digits < 4 || year_digits > 6) return {};
  const auto year = take_digits(text, year_digits);
  if (!year || !take(text, '-')) return {};
  const auto month = take_digits(text, 2);
  if (!month || !take(text, '-')) return {};
  const auto day = take_digits(text, 2);
  if (!day) return {};
  const std::chrono::year_month_day date{std::chrono::year{*year},
                                         std::chrono::month{static_cast<unsigned>(*month)},
                                         std::chrono::day{static_cast<unsigned>(*day)}};
  if (!date.ok()) return {};
  return std::chrono::sys_days{date};
}

/// hh:mm[:ss[.ffffff]], as in a time of day or an offset.
std::optional<std::chrono::microseconds> take_clock(std::string_view& text, bool minutes_needed) {
  const auto hours = take_digits(text, 2);
  if (!hours) return {};
  std::chrono::microseconds sum = std::chrono::hours{*hours};
  if (!take(text, ':')) return minutes_needed ? std::nullopt : std::optional(sum);
  const auto minutes = take_digits(text, 2);
  if (!minutes) return {};
  sum += std::chrono::minutes{*minutes};
  if (!take(text, ':')) return sum;
  const auto seconds = take_digits(text, 2);
  if (!seconds) return {};
  sum += std::chrono::seconds{*seconds};
  if (!take(text, '.')) return sum;
  for (int unit = 100'000; !text.empty() && text.front() >= '0' && text.front() <= '9';
       unit /= 10) {
    sum += std::chrono::microseconds{(text.front() - '0') * unit};
    text.remove_prefix(1);
  }
  return sum;
}

}  // namespace

std::optional<std::int64_t> read_integer(std::string_view text) {
  return whole_number<std::int64_t>(text);
}

std::optional<double> read_number(std::string_view text) {
  if (text == "NaN") return std::nan("");
  if (text == "Infinity") return std::numeric_limits<double>::infinity();
  if (text == "-Infinity") return -std::numeric_limits<double>::infinity();
  return whole_number<double>(text);
}

std::optional<bool> read_bool(std::string_view text) {
  if (text == "t" || text == "true") return true;
  if (text == "f" || text == "false") return false;
  return std::nullopt;
}

std::optional<std::chrono::system_clock::time_point> read_time(std::string_view text) {
  const auto date = take_date(text);
  if (!date) return {};
  std::chrono::microseconds since_midnight{0};
  if (take(text, ' ') || take(text, 'T')) {
    const auto clock = take_clock(text, true);
    if (!clock) return {};
    since_midnight = *clock;
    const bool west = !text.empty() && text.front() == '-';
    if (!take(text, 'Z') && (take(text, '+') || take(text, '-'))) {
      const auto offset = take_clock(text, false);
      if (!offset) return {};
      since_midnight -= west ? -*offset : *offset;
    }
  }
  if (!text.empty()) return {};
  return std::chrono::time_point_cast<std::chrono::system_clock::duration>(*date + since_midnight);
}

std::optional<nlohmann::json> read_json(std::string_view text) {
  auto value = nlohmann::json::parse(text, nullptr, false);
  if (value.is_discarded()) return std::nullopt;
  return value;
}

void refuse_column(std::string_view name, std::string_view type,
                   const std::optional<std::string>& value) {
  const std::string about = "column " + std::string{name} + " is ";
  if (!value) {
    throw bad_column(about + "NULL, and was asked for as " + std::string{type} +
                     ": ask for a std::optional");
  }
  throw bad_column(about + "\"" + printable(*value, longest_value_shown) + "\", which is not " +
                   std::string{type});
}

}  // namespace rowrunner::detail
