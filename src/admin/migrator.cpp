#include "admin/migrator.hpp"

#include <algorithm>
#include <map>
#include <span>

#include "admin/error.hpp"
#include "common/schema/schema_version.hpp"
#include "migrations/engine.hpp"
#include "queries/admin.hpp"
#include "queries/engine.hpp"

namespace rowrunner::admin {
namespace {

struct ledger_entry {
  int version;
  std::string name;
  std::string checksum;
  std::string applied_at;
};

/// What ran here, of each component in order of version.
using migration_ledger = std::map<std::string, std::vector<ledger_entry>, std::less<>>;

error refused(const std::string& what) { return {reason::migration_refused, what}; }

// What another role prepared in the schema would be trusted from now on.
asio::awaitable<void> refuse_strangers(transaction& tx) {
  const auto found = co_await tx.run(queries::schema_strangers);
  if (found.rows() == 0) co_return;
  const std::string what(found.get(0, 0)), owner(found.get(0, 1)), me(found.get(0, 2));
  throw refused(what + " belongs to " + owner + ", which is not " + me +
                ", a superuser or the owner of the database; nothing was changed. If " + owner +
                " has migrated before and is trusted with the queue, migrate as " + owner +
                " (PGOPTIONS='-c role=" + owner +
                "'); otherwise drop the schema rowrunner and migrate again.");
}

enum class ledger_form { missing, by_component };

asio::awaitable<ledger_form> form_of_ledger(transaction& tx) {
  const auto columns = co_await tx.run(queries::ledger_columns);
  if (columns.rows() == 0) co_return ledger_form::missing;
  if (columns.get_bool(0, 0)) co_return ledger_form::by_component;
  throw refused(
      "this database was made by a version of Rowrunner from before the first release, whose "
      "schema "
      "cannot be brought up to date: use a new database, or drop the schema rowrunner and the "
      "tables "
      "that it made");
}

asio::awaitable<migration_ledger> read_ledger(transaction& tx) {
  migration_ledger out;
  if (co_await form_of_ledger(tx) == ledger_form::missing) co_return out;
  const auto rows = co_await tx.run(queries::ledger);
  for (int row = 0; row < rows.rows(); ++row) {
    out[std::string(rows.get(row, 0))].push_back(
        {static_cast<int>(rows.get_int(row, 1)), std::string(rows.get(row, 2)),
         std::string(rows.get(row, 3)), std::string(rows.get(row, 4))});
  }
  co_return out;
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

// A migration that ran must be the one of this binary: the same name and the same text.
asio::awaitable<void> check_entry(transaction& tx, const component& part, const ledger_entry& entry,
                                  const migration& mine) {
  const std::string file = full_name(part, mine.name) + ".sql";
  if (entry.name != mine.name) {
    throw refused("migration " + std::to_string(entry.version) + " of " + std::string(part.name) +
                  " ran here as " + entry.name + ".sql, this binary has " + file);
  }
  const auto checksum = co_await tx.run(queries::checksum, mine.text);
  if (entry.checksum != checksum.get(0, 0)) {
    throw refused("db/migrations/" + file +
                  " was changed after it ran here: restore it and put the change into a "
                  "new migration");
  }
}

asio::awaitable<void> check_component(transaction& tx, const component& part,
                                      const std::vector<ledger_entry>& entries) {
  for (const auto& mine : part.migrations) {
    const auto entry = std::find_if(entries.begin(), entries.end(),
                                    [&](const auto& ran) { return ran.version == mine.version; });
    if (entry != entries.end()) {
      co_await check_entry(tx, part, *entry, mine);
    } else if (!entries.empty() && mine.version < entries.back().version) {
      throw refused("migration " + full_name(part, mine.name) +
                    ".sql did not run here, but a later one did");
    }
  }
}

asio::awaitable<void> check_ledger(transaction& tx, const migration_ledger& ledger,
                                   std::span<const component> components) {
  for (const auto& part : components) {
    co_await check_component(tx, part, entries_of(ledger, part));
  }
  const auto& engine = components.front();
  const int version = version_of(ledger, engine);
  if (version <= newest_of(engine)) co_return;
  const auto info = co_await tx.run(queries::schema_info);
  const auto why = schema_refusal(version, static_cast<int>(info.get_int(0, 1)), newest_of(engine));
  if (why) throw error(reason::schema_unfit, *why);
}

asio::awaitable<void> run(transaction& tx, const component& part, const migration& m) {
  try {
    co_await tx.run_script(m.text);
  } catch (const pg::query_error& problem) {
    throw refused("migration " + full_name(part, m.name) +
                  ".sql failed, nothing was changed: " + problem.explanation());
  }
}

asio::awaitable<void> ensure(transaction& tx, const std::vector<query>& statements) {
  for (const auto& statement : statements) {
    try {
      co_await tx.run_script(statement.text);
    } catch (const pg::query_error& problem) {
      throw refused("the permissions could not be set (" + std::string(statement.name) +
                    "), nothing was changed: " + problem.explanation());
    }
  }
}

asio::awaitable<void> ensure_roles(transaction& tx, std::span<const component> components) {
  std::string owners;
  for (const auto& part : components) {
    for (const auto role : part.owners) {
      owners += (owners.empty() ? "'" : ", '") + std::string(role) + "'";
    }
  }
  const auto text = fill(queries::ensure_roles.text, {{"owners", owners}});
  const std::vector<query> statements(1, query{queries::ensure_roles.name, text});
  co_await ensure(tx, statements);
}

/// Brings one component up to date. The engine's first migration makes the schema in which the
/// ledger stands, so a component's entries are written after its migrations.
asio::awaitable<void> migrate_component(transaction& tx, const component& part, int version,
                                        std::vector<std::string>& applied) {
  if (version > newest_of(part)) co_return;
  for (const auto& m : part.migrations) {
    if (m.version > version) co_await run(tx, part, m);
  }
  if (co_await form_of_ledger(tx) == ledger_form::missing) co_await tx.run(queries::ledger_create);
  for (const auto& m : part.migrations) {
    if (m.version <= version) continue;
    co_await tx.run(queries::ledger_add, part.name, m.version, m.name, m.text);
    applied.push_back(full_name(part, m.name));
  }
  co_await ensure(tx, part.after);
}

asio::awaitable<migration_result> migrate_all(transaction& tx,
                                              std::span<const component> components) {
  co_await tx.run(queries::migration_lock);
  co_await refuse_strangers(tx);
  const auto ledger = co_await read_ledger(tx);
  co_await check_ledger(tx, ledger, components);
  migration_result out;
  // A newer schema has its own roles and permissions.
  if (version_of(ledger, components.front()) <= newest_of(components.front())) {
    co_await ensure_roles(tx, components);
  }
  for (const auto& part : components) {
    co_await migrate_component(tx, part, version_of(ledger, part), out.applied);
  }
  const auto& engine = components.front();
  out.version = std::max(version_of(ledger, engine), newest_of(engine));
  co_await tx.run(queries::schema_version_set, out.version);
  co_return out;
}

asio::awaitable<std::vector<migration_state>> read_status(transaction& tx,
                                                          std::span<const component> components) {
  const auto ledger = co_await read_ledger(tx);
  co_await check_ledger(tx, ledger, components);
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
  co_return out;
}

}  // namespace

component engine_component() {
  return {"engine",
          migrations::engine(),
          {"rowrunner_engine", "rowrunner_job_writer"},
          {queries::ensure_job_writer, queries::ensure_permissions}};
}

asio::awaitable<migration_result> migrate(pg::session& session, std::vector<component> components) {
  const auto work = [&](transaction& tx) { return migrate_all(tx, components); };
  co_return co_await in_transaction(session, work, queries::begin_read_committed);
}

asio::awaitable<std::vector<migration_state>> migration_status(pg::session& session,
                                                               std::vector<component> components) {
  const auto work = [&](transaction& tx) { return read_status(tx, components); };
  co_return co_await in_transaction(session, work);
}

}  // namespace rowrunner::admin
