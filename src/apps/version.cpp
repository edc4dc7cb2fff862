#include "apps/version.hpp"

#include "common/schema_version.hpp"

namespace rowrunner {

std::string version() { return ROWRUNNER_VERSION; }

std::string version_text() {
  return "rowrunner " + version() + " (schema version " + std::to_string(binary_schema_version()) +
         ")";
}

}  // namespace rowrunner
