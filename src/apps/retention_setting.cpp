#include "apps/retention_setting.hpp"

#include <charconv>

#include "common/errors.hpp"
#include "common/text.hpp"

namespace rowrunner {
namespace {

struct unit {
  char letter;
  const char* name;
  int most;  ///< a hundred years
};
constexpr unit units[] = {{'m', "minutes", 52'560'000},
                          {'h', "hours", 876'000},
                          {'d', "days", 36'500},
                          {'w', "weeks", 5'200}};

}  // namespace

std::string parse_retention(const std::string& text) {
  if (text == "never") return text;
  int number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  for (const auto& [letter, name, most] : units) {
    const bool fits = error == std::errc{} && rest + 1 == end && *rest == letter;
    if (fits && number >= 1 && number <= most) return std::to_string(number) + " " + name;
  }
  throw usage_error("'" + printable(text, 40) +
                    "' is no time to keep jobs: give a number with m, h, d or w such as 7d, at "
                    "most 100 years, or never (to delete none)");
}

}  // namespace rowrunner
