#include "apps/migrator.hpp"

#include <algorithm>
#include <stdexcept>

#include "apps/database.hpp"
#include "common/pg/exec.hpp"
#include "common/queries.hpp"
#include "common/schema_version.hpp"

namespace rowrunner {
namespace {

struct ledger_entry {
  int version;
  std::string name;
  std::string checksum;
  std::string applied_at;
};

// Whatever another role prepared in the schema would be trusted from now on.
void refuse_strangers(pqxx::dbtransaction& tx) {
  const pqxx::result found = tx.exec(std::string(queries::schema_strangers.text));
  if (found.empty()) return;
  const auto what = found[0][0].as<std::string>(), owner = found[0][1].as<std::string>(),
             me = found[0][2].as<std::string>();
  throw std::runtime_error(what + " belongs to " + owner + ", which is not " + me +
                           ", a superuser or the owner of the database; nothing was changed. If " +
                           owner +
                           " has migrated before and is trusted with the queue, migrate as " +
                           owner + " (PGOPTIONS='-c role=" + owner +
                           "'); otherwise drop the schema rowrunner and migrate again.");
}

bool ledger_exists(pqxx::dbtransaction& tx) {
  return tx.exec(std::string(queries::ledger_exists.text))[0][0].as<bool>();
}

std::vector<ledger_entry> read_ledger(pqxx::dbtransaction& tx) {
  std::vector<ledger_entry> out;
  if (!ledger_exists(tx)) return out;
  for (const auto& row : tx.exec(std::string(queries::ledger.text))) {
    out.push_back({row[0].as<int>(), row[1].as<std::string>(), row[2].as<std::string>(),
                   row[3].as<std::string>()});
  }
  return out;
}

std::string checksum(pqxx::dbtransaction& tx, const migration& m) {
  return pg::exec(tx, queries::checksum, std::string(m.text))[0][0].as<std::string>();
}

// A migration that ran must be the one of this binary: the same name and the same text.
void check_entry(pqxx::dbtransaction& tx, const ledger_entry& entry, const migration& mine) {
  const std::string file = std::string(mine.name) + ".sql";
  if (entry.name != mine.name) {
    throw std::runtime_error("migration " + std::to_string(entry.version) + " ran here as " +
                             entry.name + ".sql, this binary has " + file);
  }
  if (entry.checksum != checksum(tx, mine)) {
    throw std::runtime_error("db/migrations/" + file +
                             " was changed after it ran here: restore it and put the change into a "
                             "new migration");
  }
}

void check_ledger(pqxx::dbtransaction& tx, const std::vector<ledger_entry>& ledger,
                  std::span<const migration> migrations) {
  for (const auto& entry : ledger) {
    const auto mine = std::find_if(migrations.begin(), migrations.end(),
                                   [&](const auto& m) { return m.version == entry.version; });
    if (mine != migrations.end()) check_entry(tx, entry, *mine);
  }
  if (ledger.empty()) return;
  for (const auto& mine : migrations) {
    const bool ran = std::any_of(ledger.begin(), ledger.end(),
                                 [&](const auto& entry) { return entry.version == mine.version; });
    if (!ran && mine.version < ledger.back().version) {
      throw std::runtime_error("migration " + std::string(mine.name) +
                               ".sql did not run here, but a later one did");
    }
  }
  const pqxx::result info = tx.exec(std::string(queries::schema_info.text));
  const int newest = migrations.back().version;
  if (ledger.back().version > newest) {
    const auto reason = schema_refusal(ledger.back().version, info[0][1].as<int>(), newest);
    if (reason) throw std::runtime_error(*reason);
  }
}

void run(pqxx::dbtransaction& tx, const migration& m) {
  try {
    tx.exec(std::string(m.text));
  } catch (const pqxx::sql_error& error) {
    throw std::runtime_error("migration " + std::string(m.name) +
                             ".sql failed, nothing was changed: " + complaint(error));
  }
}

void ensure(pqxx::dbtransaction& tx, const query& permissions) {
  try {
    tx.exec(std::string(permissions.text));
  } catch (const pqxx::sql_error& error) {
    throw std::runtime_error("the permissions could not be set (" + std::string(permissions.name) +
                             "), nothing was changed: " + complaint(error));
  }
}

}  // namespace

migration_result migrate(pqxx::connection& connection, std::span<const migration> migrations) {
  pqxx::work tx(connection);
  tx.exec(std::string(queries::read_committed.text));
  use_system_names(tx);
  tx.exec(std::string(queries::migration_lock.text));
  refuse_strangers(tx);
  const auto ledger = read_ledger(tx);
  check_ledger(tx, ledger, migrations);

  migration_result out;
  out.version = ledger.empty() ? 0 : ledger.back().version;
  // A newer schema has its own permissions.
  if (out.version > migrations.back().version) return out;
  ensure(tx, queries::ensure_roles);
  for (const auto& m : migrations) {
    if (m.version <= out.version) continue;
    run(tx, m);
    out.applied.emplace_back(m.name);
  }
  // The first migration makes the schema in which the ledger stands, so it is written last.
  if (!ledger_exists(tx)) tx.exec(std::string(queries::ledger_create.text));
  for (const auto& m : migrations) {
    if (m.version <= out.version) continue;
    pg::exec(tx, queries::ledger_add, m.version, std::string(m.name), std::string(m.text));
  }
  out.version = migrations.back().version;
  pg::exec(tx, queries::schema_version_set, out.version);
  if (out.version >= binary_schema_version()) {
    ensure(tx, queries::ensure_job_writer);
    ensure(tx, queries::ensure_permissions);
    ensure(tx, queries::ensure_spot_permissions);
  }
  tx.commit();
  return out;
}

std::vector<migration_state> migration_status(pqxx::dbtransaction& tx,
                                              std::span<const migration> migrations) {
  use_system_names(tx);
  const auto ledger = read_ledger(tx);
  check_ledger(tx, ledger, migrations);
  std::vector<migration_state> out;
  for (const auto& entry : ledger) out.push_back({entry.version, entry.name, entry.applied_at});
  for (const auto& m : migrations) {
    const bool pending = ledger.empty() || m.version > ledger.back().version;
    if (pending) out.push_back({m.version, std::string(m.name), std::nullopt});
  }
  return out;
}

}  // namespace rowrunner
