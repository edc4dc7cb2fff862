#include "worker/effect_calls.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "common/pg/error.hpp"
#include "common/storable.hpp"

namespace rowrunner {

namespace {

/// What stands behind a comment, which may contain others; or behind the text if it does not end.
std::string_view behind_comment(std::string_view sql) {
  int depth = 0;
  for (std::size_t i = 0; i + 1 < sql.size(); ++i) {
    const auto two = sql.substr(i, 2);
    if (two != "/*" && two != "*/") continue;
    depth += two == "/*" ? 1 : -1;
    ++i;
    if (depth == 0) return sql.substr(i + 1);
  }
  return {};
}

/// In capital letters.
std::string first_word(std::string_view sql) {
  const auto is_space = [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; };
  for (;;) {
    const auto start = std::find_if_not(sql.begin(), sql.end(), is_space);
    sql.remove_prefix(static_cast<std::size_t>(start - sql.begin()));
    if (sql.starts_with("--")) {
      sql.remove_prefix(std::min(sql.find('\n'), sql.size()));
    } else if (sql.starts_with("/*")) {
      sql = behind_comment(sql);
    } else if (sql.starts_with(";")) {
      sql.remove_prefix(1);
    } else {
      break;
    }
  }
  const auto end = std::find_if_not(sql.begin(), sql.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$';
  });
  std::string word(sql.begin(), end);
  std::transform(word.begin(), word.end(), word.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return word;
}

constexpr std::array forbidden{"BEGIN",    "START", "COMMIT",  "END",
                               "ROLLBACK", "ABORT", "PREPARE", "COPY"};

}  // namespace

bool leaves_transaction(std::string_view sql) {
  const auto word = first_word(sql);
  return std::any_of(forbidden.begin(), forbidden.end(),
                     [&](const char* each) { return word == each; });
}

void effect_calls::append_to(std::vector<pg::call>& calls, const std::vector<effect>& effects) {
  for (const auto& each : effects) {
    // Refused as the database would: only the job whose effect it is fails.
    if (leaves_transaction(each.sql)) {
      throw pg::query_error(
          "2D000", "an effect cannot begin or end a transaction, which it shares, nor COPY", "");
    }
    std::vector<pg::param> params;
    for (const auto& param : each.params) {
      params.emplace_back(param ? std::optional(storable(*param)) : std::nullopt);
    }
    const auto& kept = statements_.emplace_back(pg::statement{"", storable(each.sql)});
    calls.emplace_back(kept, std::move(params));
  }
}

std::string effect_sqlstate(const pg::query_error& refused) {
  const bool by_effect = refused.statement_name().empty();
  const bool elsewhere = pg::classify(refused.sqlstate()) == pg::error_class::connection;
  return by_effect && elsewhere ? "38000" : refused.sqlstate();
}

}  // namespace rowrunner
