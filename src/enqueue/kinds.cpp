#include "enqueue/kinds.hpp"

#include "common/text.hpp"
#include "queries/engine.hpp"

namespace rowrunner {

bad_input unknown_kind(pqxx::dbtransaction& tx, std::string_view kind) {
  std::string names;
  for (const auto& row : tx.exec(std::string(queries::kind_names.text))) {
    names += (names.empty() ? "" : ", ") + row[0].as<std::string>();
  }
  return bad_input("unknown kind '" + printable(kind, 100) +
                   "'; attached kinds: " + (names.empty() ? "none" : names));
}

}  // namespace rowrunner
