#include "common/child/error.hpp"

namespace rowrunner::child {

const char* name_of(failure why) noexcept {
  switch (why) {
    case failure::refused:
      return "refused";
    case failure::crashed:
      return "crashed";
    case failure::out_of_time:
      return "out_of_time";
    case failure::out_of_memory:
      return "out_of_memory";
    case failure::too_large:
      return "too_large";
    case failure::unavailable:
      break;
  }
  return "unavailable";
}

}  // namespace rowrunner::child
