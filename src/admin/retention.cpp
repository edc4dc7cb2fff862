#include "admin/retention.hpp"

#include <charconv>

#include "admin/kinds.hpp"
#include "common/text.hpp"
#include "queries/admin.hpp"

namespace rowrunner::admin {
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
  const auto [rest, failure] = std::from_chars(text.data(), end, number);
  for (const auto& [letter, name, most] : units) {
    const bool fits = failure == std::errc{} && rest + 1 == end && *rest == letter;
    if (fits && number >= 1 && number <= most) return std::to_string(number) + " " + name;
  }
  throw error(reason::bad_argument,
              "'" + printable(text, 40) +
                  "' is no time to keep jobs: give a number with m, h, d or w such as 7d, at "
                  "most 100 years, or never (to delete none)");
}

asio::awaitable<kind_retention> set_retention(pg::session& session, std::string kind,
                                              kind_retention wanted) {
  const auto write = [&](transaction& tx) -> asio::awaitable<kind_retention> {
    const auto now =
        co_await tx.run(queries::kind_retention, kind, wanted.retention, wanted.failed_retention);
    if (now.rows() == 0) co_await throw_unknown_kind(tx, kind);
    kind_retention out;
    if (!now.is_null(0, 0)) out.retention = now.get(0, 0);
    if (!now.is_null(0, 1)) out.failed_retention = now.get(0, 1);
    co_return out;
  };
  co_return co_await in_transaction(session, write);
}

}  // namespace rowrunner::admin
