#include "common/storable.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

#include "common/text.hpp"

namespace rowrunner {

namespace {

bool is_storable(std::string_view text) {
  return text.find('\0') == std::string_view::npos && valid_utf8(text);
}

void make_names_storable(nlohmann::json& object) {
  const auto& members = object.get_ref<const nlohmann::json::object_t&>();
  const bool fine = std::all_of(members.begin(), members.end(),
                                [](const auto& member) { return is_storable(member.first); });
  if (fine) return;
  nlohmann::json renamed = nlohmann::json::object();
  for (auto& [name, member] : object.items()) renamed[storable(name)] = std::move(member);
  object = std::move(renamed);
}

/// Copying and writing such a value recurses for each level, and so does the server's parser.
constexpr int deepest = 1000;

void make_storable(nlohmann::json& value, int level = 0) {
  if (level > deepest) {
    throw std::invalid_argument("a JSON value is nested more than " + std::to_string(deepest) +
                                " levels deep");
  }
  if (value.is_string()) {
    auto& text = value.get_ref<std::string&>();
    if (!is_storable(text)) text = storable(text);
  } else if (value.is_discarded()) {
    value = "<discarded>";
  } else if (value.is_structured()) {
    for (auto& member : value) make_storable(member, level + 1);
    if (value.is_object()) make_names_storable(value);
  }
}

}  // namespace

std::string storable(std::string_view text) {
  return printable(text, std::numeric_limits<std::size_t>::max());
}

nlohmann::json storable_json(nlohmann::json value) {
  make_storable(value);
  return value;
}

}  // namespace rowrunner
