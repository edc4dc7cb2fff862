#pragma once

#include <optional>
#include <string>

namespace rowrunner {

/// The schema that this binary was built for: the highest embedded migration.
int binary_schema_version();

/// Why a binary built for schema version `binary` must not run on this database, or nothing if it
/// may. `database` is the schema's version, nothing if there is no schema; `oldest_binary` is the
/// oldest version that the schema serves.
std::optional<std::string> schema_refusal(std::optional<int> database, int oldest_binary,
                                          int binary);

}  // namespace rowrunner
