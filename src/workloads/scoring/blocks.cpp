#include "workloads/scoring/blocks.hpp"

#include <rowrunner/bad_input.hpp>
#include <set>

#include "common/foreign_json.hpp"
#include "common/text.hpp"

namespace rowrunner::scoring {

using nlohmann::json;

namespace {

std::string read_name(const json& from, const std::string& where, std::size_t longest) {
  if (!from.is_string()) throw bad_input(where + " must be a text");
  auto text = from.get<std::string>();
  check_text(where, text);
  if (text.empty()) throw bad_input(where + " is empty");
  if (text.size() > longest) {
    throw bad_input(where + " is longer than " + std::to_string(longest) + " bytes");
  }
  return text;
}

void check_members(const json& object, const std::string& where,
                   std::initializer_list<const char*> known) {
  for (const auto& [name, value] : object.items()) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      throw bad_input(where + " has an unknown member '" + printable(name, 100) + "'");
    }
  }
}

category read_category(const json& from, const std::string& where) {
  if (!from.is_object()) return {read_name(from, where, longest_category)};
  check_members(from, where, {"name", "description"});
  if (!from.contains("name")) throw bad_input(where + " has no name");
  category out{read_name(from["name"], where + ".name", longest_category)};
  if (from.contains("description")) {
    out.description = read_name(from["description"], where + ".description", longest_description);
  }
  return out;
}

block read_block(const json& from, const std::string& where) {
  if (!from.is_object()) throw bad_input(where + " must be an object with name and categories");
  check_members(from, where, {"name", "categories"});
  if (!from.contains("name")) throw bad_input(where + " has no name");
  if (!from.contains("categories") || !from["categories"].is_array()) {
    throw bad_input(where + ".categories must be a list");
  }
  block out;
  out.name = read_name(from["name"], where + ".name", longest_category);
  const auto& list = from["categories"];
  if (list.empty()) throw bad_input(where + ".categories is empty");
  if (list.size() > most_categories) {
    throw bad_input(where + " has " + std::to_string(list.size()) + " categories: at most " +
                    std::to_string(most_categories) + " fit into one block");
  }
  std::set<std::string> seen;
  for (std::size_t i = 0; i < list.size(); ++i) {
    auto one = read_category(list[i], where + ".categories[" + std::to_string(i) + "]");
    if (!seen.insert(one.name).second) {
      throw bad_input(where + " has the category '" + one.name + "' twice");
    }
    out.categories.push_back(std::move(one));
  }
  return out;
}

}  // namespace

std::vector<block> read_blocks(const json& given, int first_column) {
  if (!given.is_array()) {
    throw bad_input(R"(the categories must be a list of {"name", "categories"})");
  }
  if (given.empty()) throw bad_input("the categories have no block");
  if (given.size() > most_blocks) {
    throw bad_input("there are " + std::to_string(given.size()) + " blocks: at most " +
                    std::to_string(most_blocks) + " are allowed");
  }
  std::vector<block> out;
  std::set<std::string> seen;
  for (std::size_t i = 0; i < given.size(); ++i) {
    auto one = read_block(given[i], "blocks[" + std::to_string(i) + "]");
    if (!seen.insert(one.name).second) {
      throw bad_input("there are two blocks named '" + one.name + "'");
    }
    one.col_offset = first_column;
    first_column += static_cast<int>(one.categories.size());
    out.push_back(std::move(one));
  }
  return out;
}

std::vector<block> parse_blocks(std::string_view text, int first_column) {
  json given;
  try {
    given = parse_foreign_json(text, {4 * 1024 * 1024, 8, 100'000});
  } catch (const foreign_json_error& why) {
    throw bad_input(std::string("the categories are no JSON that can be used: the text ") +
                    why.what());
  }
  return read_blocks(given, first_column);
}

json to_json(const block& one) {
  json categories = json::array();
  for (const auto& each : one.categories) {
    json item{{"name", each.name}};
    if (!each.description.empty()) item["description"] = each.description;
    categories.push_back(std::move(item));
  }
  return {{"name", one.name}, {"categories", categories}, {"col_offset", one.col_offset}};
}

json to_json(const std::vector<block>& all) {
  json out = json::array();
  for (const auto& each : all) out.push_back(to_json(each));
  return out;
}

std::vector<block> stored_blocks(std::string_view text) {
  std::vector<block> out;
  for (const auto& from : json::parse(text)) {
    block one;
    one.name = from.at("name").get<std::string>();
    one.col_offset = from.at("col_offset").get<int>();
    for (const auto& each : from.at("categories")) {
      one.categories.push_back(
          {each.at("name").get<std::string>(), text_member(each, "description")});
    }
    out.push_back(std::move(one));
  }
  return out;
}

std::vector<std::string> score_titles(const std::vector<block>& all) {
  std::vector<std::string> out;
  for (const auto& one : all) {
    for (const auto& each : one.categories) out.push_back(one.name + ": " + each.name);
  }
  return out;
}

}  // namespace rowrunner::scoring
