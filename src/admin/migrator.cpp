#include "admin/migrator.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>

#include "admin/transaction.hpp"
#include "common/pg/exec.hpp"
#include "common/schema/schema_version.hpp"
#include "migrations/engine.hpp"
#include "queries/admin.hpp"
#include "queries/engine.hpp"
#include "queries/session.hpp"

namespace rowrunner {
namespace {

struct ledger_entry {
  int version;
  std::string name;
  std::string checksum;
  std::string applied_at;
};

/// What ran here, of each component in order of version.
using migration_ledger = std::map<std::string, std::vector<ledger_entry>, std::less<>>;

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

enum class ledger_form { missing, by_component };

ledger_form form_of_ledger(pqxx::dbtransaction& tx) {
  const auto columns = tx.exec(std::string(queries::ledger_columns.text));
  if (columns.empty()) return ledger_form::missing;
  if (columns[0][0].as<bool>()) return ledger_form::by_component;
  throw std::runtime_error(
      "this database was made by a version of Rowrunner from before the first release, whose "
      "schema "
      "cannot be brought up to date: use a new database, or drop the schema rowrunner and the "
      "tables "
      "that it made");
}

migration_ledger read_ledger(pqxx::dbtransaction& tx) {
  migration_ledger out;
  if (form_of_ledger(tx) == ledger_form::missing) return out;
  for (const auto& row : tx.exec(std::string(queries::ledger.text))) {
    out[row[0].as<std::string>()].push_back({row[1].as<int>(), row[2].as<std::string>(),
                                             row[3].as<std::string>(), row[4].as<std::string>()});
  }
  return out;
}

const std::vector<ledger_entry>& entries_of(const migration_ledger& ledger, const component& part) {
  static const std::vector<ledger_entry> none;
  const auto found = ledger.find(part.name);
  return found == ledger.end() ? none : found->second;
}

int version_of(const migration_ledger& ledger, const component& part) {
  const auto& entries = entries_of(ledger, part);
  return entries.empty() ? 0 : entries.back().version;
}

int newest_of(const component& part) { return part.migrations.back().version; }

std::string full_name(const component& part, std::string_view name) {
  return std::string(part.name) + "/" + std::string(name);
}

std::string checksum(pqxx::dbtransaction& tx, const migration& m) {
  return pg::exec(tx, queries::checksum, std::string(m.text))[0][0].as<std::string>();
}

// A migration that ran must be the one of this binary: the same name and the same text.
void check_entry(pqxx::dbtransaction& tx, const component& part, const ledger_entry& entry,
                 const migration& mine) {
  const std::string file = full_name(part, mine.name) + ".sql";
  if (entry.name != mine.name) {
    throw std::runtime_error("migration " + std::to_string(entry.version) + " of " +
                             std::string(part.name) + " ran here as " + entry.name +
                             ".sql, this binary has " + file);
  }
  if (entry.checksum != checksum(tx, mine)) {
    throw std::runtime_error("db/migrations/" + file +
                             " was changed after it ran here: restore it and put the change into a "
                             "new migration");
  }
}

void check_component(pqxx::dbtransaction& tx, const component& part,
                     const std::vector<ledger_entry>& entries) {
  for (const auto& mine : part.migrations) {
    const auto entry = std::find_if(entries.begin(), entries.end(),
                                    [&](const auto& ran) { return ran.version == mine.version; });
    if (entry != entries.end()) {
      check_entry(tx, part, *entry, mine);
    } else if (!entries.empty() && mine.version < entries.back().version) {
      throw std::runtime_error("migration " + full_name(part, mine.name) +
                               ".sql did not run here, but a later one did");
    }
  }
}

void check_ledger(pqxx::dbtransaction& tx, const migration_ledger& ledger,
                  std::span<const component> components) {
  for (const auto& part : components) check_component(tx, part, entries_of(ledger, part));
  const auto& engine = components.front();
  const int version = version_of(ledger, engine);
  if (version <= newest_of(engine)) return;
  const pqxx::result info = tx.exec(std::string(queries::schema_info.text));
  const auto reason = schema_refusal(version, info[0][1].as<int>(), newest_of(engine));
  if (reason) throw std::runtime_error(*reason);
}

void run(pqxx::dbtransaction& tx, const component& part, const migration& m) {
  try {
    tx.exec(std::string(m.text));
  } catch (const pqxx::sql_error& error) {
    throw std::runtime_error("migration " + full_name(part, m.name) +
                             ".sql failed, nothing was changed: " + complaint(error));
  }
}

void ensure(pqxx::dbtransaction& tx, const std::vector<query>& statements) {
  for (const auto& statement : statements) {
    try {
      tx.exec(std::string(statement.text));
    } catch (const pqxx::sql_error& error) {
      throw std::runtime_error("the permissions could not be set (" + std::string(statement.name) +
                               "), nothing was changed: " + complaint(error));
    }
  }
}

/// Brings one component up to date. The engine's first migration makes the schema in which the
/// ledger stands, so a component's entries are written after its migrations.
void migrate_component(pqxx::dbtransaction& tx, const component& part, int version,
                       std::vector<std::string>& applied) {
  // A newer schema has its own permissions.
  if (version > newest_of(part)) return;
  ensure(tx, part.before);
  for (const auto& m : part.migrations) {
    if (m.version > version) run(tx, part, m);
  }
  if (form_of_ledger(tx) == ledger_form::missing) tx.exec(std::string(queries::ledger_create.text));
  for (const auto& m : part.migrations) {
    if (m.version <= version) continue;
    pg::exec(tx, queries::ledger_add, std::string(part.name), m.version, std::string(m.name),
             std::string(m.text));
    applied.push_back(full_name(part, m.name));
  }
  ensure(tx, part.after);
}

}  // namespace

component engine_component() {
  return {"engine",
          migrations::engine(),
          {queries::ensure_roles},
          {queries::ensure_job_writer, queries::ensure_permissions}};
}

migration_result migrate(pqxx::connection& connection, std::span<const component> components) {
  pqxx::work tx(connection);
  tx.exec(std::string(queries::read_committed.text));
  use_system_names(tx);
  tx.exec(std::string(queries::migration_lock.text));
  refuse_strangers(tx);
  const auto ledger = read_ledger(tx);
  check_ledger(tx, ledger, components);

  migration_result out;
  for (const auto& part : components) {
    migrate_component(tx, part, version_of(ledger, part), out.applied);
  }
  const auto& engine = components.front();
  out.version = std::max(version_of(ledger, engine), newest_of(engine));
  pg::exec(tx, queries::schema_version_set, out.version);
  tx.commit();
  return out;
}

std::vector<migration_state> migration_status(pqxx::dbtransaction& tx,
                                              std::span<const component> components) {
  use_system_names(tx);
  const auto ledger = read_ledger(tx);
  check_ledger(tx, ledger, components);
  std::vector<migration_state> out;
  for (const auto& part : components) {
    const std::string name(part.name);
    for (const auto& entry : entries_of(ledger, part)) {
      out.push_back({name, entry.version, entry.name, entry.applied_at});
    }
    for (const auto& m : part.migrations) {
      if (m.version <= version_of(ledger, part)) continue;
      out.push_back({name, m.version, std::string(m.name), std::nullopt});
    }
  }
  return out;
}

}  // namespace rowrunner
