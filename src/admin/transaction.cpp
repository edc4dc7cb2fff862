#include "admin/transaction.hpp"

#include <sstream>
#include <stdexcept>

#include "common/pg/exec.hpp"
#include "common/schema/schema_version.hpp"
#include "queries/engine.hpp"
#include "queries/session.hpp"

namespace rowrunner {

void use_system_names(pqxx::dbtransaction& tx) { pg::exec(tx, queries::search_path, true); }

void use_utc(pqxx::dbtransaction& tx) { tx.exec(std::string(queries::utc.text)); }

void check_schema(pqxx::dbtransaction& tx) {
  std::optional<int> version;
  int oldest_binary = 0;
  if (tx.exec(std::string(queries::schema_exists.text))[0][0].as<bool>()) {
    const pqxx::result info = tx.exec(std::string(queries::schema_info.text));
    version = info[0][0].as<int>();
    oldest_binary = info[0][1].as<int>();
  }
  if (const auto reason = schema_refusal(version, oldest_binary, binary_schema_version())) {
    throw std::runtime_error(*reason);
  }
}

std::string complaint(const pqxx::sql_error& error) {
  std::istringstream lines(error.what());
  std::string out;
  for (std::string line; std::getline(lines, line);) {
    const auto colon = line.find(":  ");
    const std::string label = line.substr(0, colon == std::string::npos ? 0 : colon);
    if (label == "CONTEXT" || label == "QUERY") break;
    if (line.starts_with("LINE ") || line.find_first_not_of(" ^") == std::string::npos) continue;
    const bool known = label == "ERROR" || label == "FATAL" || label == "DETAIL" || label == "HINT";
    out += (out.empty() ? "" : ". ") + (known ? line.substr(colon + 3) : line);
  }
  return out;
}

}  // namespace rowrunner
