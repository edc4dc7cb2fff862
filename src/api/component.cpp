#include "api/component.hpp"

#include "migrations/api.hpp"
#include "queries/api.hpp"

namespace rowrunner::api {

component api_component() {
  return {"api",
          migrations::api(),
          {"rowrunner_callers"},
          {queries::ensure_api_role, queries::ensure_api_permissions}};
}

}  // namespace rowrunner::api
