#include "api/job_json.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace rowrunner::api {
namespace {

constexpr std::array<std::string_view, 11> listed{
    "id",         "status", "attempts",  "max_attempts", "priority",  "created_at",
    "updated_at", "run_at", "locked_by", "locked_at",    "last_error"};
constexpr std::size_t most_own = 3;
constexpr std::size_t longest_own = 200;

}  // namespace

/// Long texts are left out, not cut: they are in the details of the job.
nlohmann::ordered_json own_columns(const nlohmann::ordered_json& row) {
  auto out = nlohmann::ordered_json::object();
  for (const auto& [name, value] : row.items()) {
    if (out.size() == most_own) break;
    const bool engine =
        name == "lease" || std::find(listed.begin(), listed.end(), name) != listed.end();
    if (engine || !value.is_string()) continue;
    const auto& text = value.get_ref<const std::string&>();
    if (!text.empty() && text.size() <= longest_own) out[name] = text;
  }
  return out;
}

nlohmann::ordered_json job_json(const std::string& kind, const nlohmann::ordered_json& row) {
  nlohmann::ordered_json out{{"kind", kind}};
  for (const auto name : listed) {
    const auto found = row.find(std::string(name));
    if (found != row.end()) out[std::string(name)] = *found;
  }
  out["own"] = own_columns(row);
  if (out.value("run_at", nlohmann::ordered_json()) == "infinity") out["run_at"] = nullptr;
  return out;
}

std::string lower_case(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

}  // namespace rowrunner::api
