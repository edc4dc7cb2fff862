#include "api/connection_slots.hpp"

namespace rowrunner::api {

connection_slots::decision connection_slots::admit(id newcomer) {
  if (served_.size() < regular_) {
    served_.insert(newcomer);
    return {};
  }
  decision out{true, std::nullopt};
  if (spares_.size() >= spare_ && !spares_.empty()) {
    out.cut = spares_.front();
    spares_.pop_front();
  }
  spares_.push_back(newcomer);
  return out;
}

void connection_slots::leave(id which) {
  if (served_.erase(which) > 0) return;
  std::erase(spares_, which);
}

}  // namespace rowrunner::api
