#include "apps/read_vacuum_blockers.hpp"

#include "queries/engine.hpp"

namespace rowrunner {

std::vector<vacuum_blocker> read_vacuum_blockers(pqxx::dbtransaction& tx) {
  std::vector<vacuum_blocker> holders;
  for (const auto& row : tx.exec(std::string(queries::vacuum_blockers.text))) {
    std::vector<std::optional<std::string>> fields;
    for (const auto& field : row) {
      fields.push_back(field.is_null() ? std::nullopt : std::optional(field.as<std::string>()));
    }
    holders.push_back(read_vacuum_blocker(fields));
  }
  return holders;
}

}  // namespace rowrunner
