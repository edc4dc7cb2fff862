#include "workloads/limits/component.hpp"

#include "migrations/limits.hpp"
#include "queries/limits.hpp"

namespace rowrunner::limits {

component limits_component() {
  return {"limits", migrations::limits(), {}, {queries::ensure_limits_permissions}};
}

}  // namespace rowrunner::limits
