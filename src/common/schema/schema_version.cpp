#include "common/schema/schema_version.hpp"

#include "migrations/engine.hpp"

namespace rowrunner {

int binary_schema_version() { return migrations::engine().back().version; }

std::optional<std::string> schema_refusal(std::optional<int> database, int oldest_binary,
                                          int binary) {
  if (!database) return "the database has no Rowrunner schema: run 'rowrunner migrate'";
  if (*database < binary) {
    return "schema version " + std::to_string(*database) + " is older than this binary needs (" +
           std::to_string(binary) + "): run 'rowrunner migrate'";
  }
  if (binary < oldest_binary) {
    return "schema version " + std::to_string(*database) + " serves binaries built for version " +
           std::to_string(oldest_binary) + " or later, this one was built for " +
           std::to_string(binary) + ": upgrade the binary";
  }
  return std::nullopt;
}

}  // namespace rowrunner
