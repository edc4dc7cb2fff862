#include "workloads/spot_images/plan.hpp"

#include <algorithm>
#include <initializer_list>
#include <map>
#include <nlohmann/json.hpp>

#include "common/errors.hpp"
#include "common/foreign_json.hpp"
#include "common/text.hpp"
#include "workloads/spot_images/names.hpp"

namespace rowrunner::spot_images {
namespace {

using nlohmann::json;

constexpr std::size_t max_title = 500;
constexpr std::size_t max_area = 500;
constexpr std::size_t max_description = 20'000;
constexpr std::size_t max_url = 2'000;
// A plan is an object of an array of objects.
constexpr json_limits limits{max_plan_file, 16, 500'000};

json parse(std::string_view text) {
  check_text("the plan file", text);
  try {
    return parse_foreign_json(text, limits);
  } catch (const foreign_json_error& why) {
    throw bad_input(std::string("the plan file ") + why.what());
  }
}

/// One object of the file, and how to call it in messages: "" or "spots[3].".
class object {
 public:
  object(const json& value, std::string place) : value_(value), place_(std::move(place)) {}

  std::string name_of(std::string_view field) const { return place_ + std::string(field); }

  /// Nothing if it is missing.
  const json* find(std::string_view field) const {
    const auto found = value_.find(std::string(field));
    return found == value_.end() ? nullptr : &*found;
  }

  const json& at(std::string_view field) const {
    const json* found = find(field);
    if (found == nullptr) throw bad_input(name_of(field) + " is missing");
    return *found;
  }

  std::string text(std::string_view field) const {
    const json& value = at(field);
    if (!value.is_string()) {
      throw bad_input(name_of(field) + " is " + value.type_name() + ", must be a string");
    }
    return value.get<std::string>();
  }

  std::string text(std::string_view field, std::size_t max_characters) const {
    return nfc_within(text(field), name_of(field), max_characters);
  }

  // A misspelt field would be lost in silence.
  void only(std::initializer_list<std::string_view> known) const {
    for (const auto& [name, value] : value_.items()) {
      if (std::find(known.begin(), known.end(), name) != known.end()) continue;
      throw bad_input(place_ + printable(name, 100) + " is not a field that is known here");
    }
  }

 private:
  const json& value_;
  std::string place_;
};

plan_spot parse_spot(const json& value, const std::string& place) {
  if (!value.is_object()) {
    throw bad_input(place + " is " + value.type_name() + ", must be an object");
  }
  const object fields(value, place + ".");
  plan_spot out;
  out.name = checked_spot_name(fields.text("spot_name"), fields.name_of("spot_name"));
  out.area = fields.text("area", max_area);
  out.description = fields.text("description", max_description);
  const json* url = fields.find("image_url");
  if (url != nullptr && !url->is_null()) {
    out.image_url = fields.text("image_url", max_url);
    if (out.image_url->empty()) out.image_url.reset();
  }
  fields.only({"spot_name", "area", "description", "image_url"});
  return out;
}

}  // namespace

plan parse_plan(std::string_view text) {
  if (text.size() > max_plan_file) {
    throw bad_input("the plan file is larger than " + std::to_string(max_plan_file >> 20) + " MiB");
  }
  const json whole = parse(text);
  if (!whole.is_object()) {
    throw bad_input(std::string("the plan file is ") + whole.type_name() + ", must be an object");
  }
  const object fields(whole, "");
  plan out;
  out.id = checked_plan_id(fields.text("plan_id"));
  out.title = fields.text("title", max_title);
  if (out.title.empty()) throw bad_input("title is empty");
  const json& spots = fields.at("spots");
  if (!spots.is_array()) {
    throw bad_input(std::string("spots is ") + spots.type_name() + ", must be an array");
  }
  fields.only({"plan_id", "title", "spots"});
  std::map<std::string, std::size_t, std::less<>> seen;
  for (std::size_t i = 0; i < spots.size(); ++i) {
    const std::string place = "spots[" + std::to_string(i) + "]";
    out.spots.push_back(parse_spot(spots[i], place));
    const auto [first, is_new] = seen.emplace(out.spots.back().name, i);
    if (!is_new) {
      throw bad_input(place + ".spot_name '" + first->first + "' stands in spots[" +
                      std::to_string(first->second) + "] already");
    }
  }
  return out;
}

}  // namespace rowrunner::spot_images
