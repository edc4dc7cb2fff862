#include "chaos/runner/faults/requests.hpp"

#include <atomic>

#include "common/pg/exec.hpp"

namespace rowrunner::chaos {
namespace {

pqxx::result some(pqxx::nontransaction& tx, const std::string& which, int at_most) {
  return tx.exec("SELECT id, name FROM chaos_jobs WHERE " + which + " ORDER BY random() LIMIT " +
                 std::to_string(at_most));
}

}  // namespace

std::vector<std::string> cancel_some(stage& on, const std::string& which, int at_most) {
  static std::atomic<int> requests = 0;
  const auto connection = on.ground.connect();
  pqxx::nontransaction tx(*connection);
  std::vector<std::string> names;
  for (const auto& row : some(tx, which, at_most)) {
    names.push_back(row[1].as<std::string>());
    const auto request = names.back() + " " + std::to_string(++requests);
    on.record.note("runner cancel " + request);
    pg::exec(tx, "SELECT rowrunner.cancel('chaos', $1)", row[0].as<std::string>());
    on.record.note("runner asked " + request);
  }
  return names;
}

void requeue_some(stage& on, const std::string& which, int at_most) {
  const auto connection = on.ground.connect();
  pqxx::nontransaction tx(*connection);
  for (const auto& row : some(tx, which, at_most)) {
    on.record.note("runner requeue " + row[1].as<std::string>());
    pg::exec(tx, "SELECT rowrunner.requeue('chaos', $1)", row[0].as<std::string>());
  }
}

void expire_all_leases(pqxx::connection& on) {
  pqxx::nontransaction tx(on);
  tx.exec(
      "UPDATE rowrunner.leases SET expires_at = expires_at - interval '1 hour'"
      " WHERE lease IN (SELECT lease FROM rowrunner.leases FOR UPDATE SKIP LOCKED)");
}

}  // namespace rowrunner::chaos
