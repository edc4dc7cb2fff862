#include "apps/read_horizon_holders.hpp"

#include "queries/engine.hpp"

namespace rowrunner {

std::vector<horizon_holder> read_horizon_holders(pqxx::dbtransaction& tx) {
  std::vector<horizon_holder> holders;
  for (const auto& row : tx.exec(std::string(queries::horizon_holders.text))) {
    std::vector<std::optional<std::string>> fields;
    for (const auto& field : row) {
      fields.push_back(field.is_null() ? std::nullopt : std::optional(field.as<std::string>()));
    }
    holders.push_back(read_horizon_holder(fields));
  }
  return holders;
}

}  // namespace rowrunner
