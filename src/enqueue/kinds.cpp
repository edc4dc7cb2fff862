#include "enqueue/kinds.hpp"

#include "common/text.hpp"
#include "queries/engine.hpp"

namespace rowrunner {

std::vector<kind_info> read_kinds(pqxx::dbtransaction& tx, dropped_tables wanted) {
  std::vector<kind_info> out;
  for (const auto& row : tx.exec(std::string(queries::kinds.text))) {
    kind_info info;
    info.id = row[0].as<int>();
    info.kind = row[1].as<std::string>();
    info.table = row[2].as<std::string>();
    info.cancelled_status = row[3].as<std::string>();
    info.paused = row[4].as<bool>();
    info.retention = row[5].as<std::string>("");
    info.failed_retention = row[6].as<std::string>("");
    if (info.table.empty() && wanted == dropped_tables::left_out) continue;
    out.push_back(std::move(info));
  }
  return out;
}

bad_input unknown_kind(pqxx::dbtransaction& tx, std::string_view kind) {
  std::string names;
  for (const auto& row : tx.exec(std::string(queries::kind_names.text))) {
    names += (names.empty() ? "" : ", ") + row[0].as<std::string>();
  }
  return bad_input("unknown kind '" + printable(kind, 100) +
                   "'; attached kinds: " + (names.empty() ? "none" : names));
}

}  // namespace rowrunner
