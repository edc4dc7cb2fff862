#include "admin/utc.hpp"

namespace rowrunner::admin {

std::string utc_text(std::string text) {
  constexpr std::string_view offset = "+00:00";
  if (text.ends_with(offset)) text.replace(text.size() - offset.size(), offset.size(), "Z");
  return text;
}

void use_z(nlohmann::ordered_json& object) {
  for (const char* name :
       {"created_at", "updated_at", "locked_at", "run_at", "started_at", "ended_at"}) {
    const auto found = object.find(name);
    if (found != object.end() && found->is_string()) *found = utc_text(found->get<std::string>());
  }
}

}  // namespace rowrunner::admin
