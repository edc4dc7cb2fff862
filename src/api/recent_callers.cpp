#include "api/recent_callers.hpp"

namespace rowrunner::api {

void recent_callers::remember(const std::string& proof, const identity& who,
                              clock::time_point now) {
  if (callers_.size() >= most && !callers_.contains(proof)) {
    std::erase_if(callers_,
                  [&](const auto& each) { return now - each.second.at > remembered_for; });
    if (callers_.size() >= most) return;
  }
  callers_.insert_or_assign(proof, caller{who, now});
}

std::optional<identity> recent_callers::find(const std::string& proof,
                                             clock::time_point now) const {
  const auto found = callers_.find(proof);
  if (found == callers_.end() || now - found->second.at > remembered_for) return std::nullopt;
  return found->second.who;
}

}  // namespace rowrunner::api
