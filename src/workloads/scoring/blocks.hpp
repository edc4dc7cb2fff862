#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace rowrunner::scoring {

struct category {
  std::string name;
  /// For the model; may be empty.
  std::string description{};

  bool operator==(const category&) const = default;
};

/// Categories that are scored together, in one question, and stand side by side in the sheet.
struct block {
  std::string name;
  std::vector<category> categories;
  /// The first of its columns, counted from 0 over the whole sheet.
  int col_offset = 0;

  bool operator==(const block&) const = default;
};

inline constexpr std::size_t most_blocks = 50;
inline constexpr std::size_t most_categories = 200;
inline constexpr std::size_t longest_category = 500;
inline constexpr std::size_t longest_description = 5'000;

/// [{"name": …, "categories": […]}, …]; a category is a text, or {"name": …, "description": …}. The
/// columns of the first block begin at `first_column`. Throws bad_input, which says where it is
/// wrong.
std::vector<block> parse_blocks(std::string_view text, int first_column);
std::vector<block> read_blocks(const nlohmann::json& given, int first_column);

nlohmann::json to_json(const block& one);
nlohmann::json to_json(const std::vector<block>& all);
/// What to_json has made.
std::vector<block> stored_blocks(std::string_view text);

/// The titles of the columns that the scores stand in: "block: category".
std::vector<std::string> score_titles(const std::vector<block>& all);

}  // namespace rowrunner::scoring
