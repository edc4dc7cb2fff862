#include "api/job_json.hpp"

namespace rowrunner::api {

nlohmann::ordered_json job_json(const std::string& kind, const nlohmann::ordered_json& row) {
  nlohmann::ordered_json out{{"kind", kind}};
  for (const char* name : {"id", "status", "attempts", "max_attempts", "priority", "created_at",
                           "updated_at", "run_at", "locked_by", "locked_at", "last_error"}) {
    const auto found = row.find(name);
    if (found != row.end()) out[name] = *found;
  }
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
