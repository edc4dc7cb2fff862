#pragma once

#include <pqxx/pqxx>
#include <string>

namespace rowrunner::testing {

// Every permission that a role has on a schema of Rowrunner or on an object of one or of public,
// and the owner of every SECURITY DEFINER function. has_*_privilege tells what really counts: a
// permission of PUBLIC, of a role or of an owner.
inline constexpr const char* all_permissions = R"sql(
WITH role (name) AS (
  SELECT 'public' UNION ALL SELECT r.rolname::text FROM pg_roles r WHERE r.rolname LIKE 'rowrunner\_%'
    -- Another database may have made it; its permissions count where its component is.
    AND (r.rolname NOT IN ('rowrunner_server', 'rowrunner_callers')
         OR to_regclass('rowrunner.tokens') IS NOT NULL)
), schema AS (
  SELECT n.oid, n.nspname AS name FROM pg_namespace n WHERE n.nspname ~ '^(rowrunner.*|public)$'
), relation AS (
  SELECT c.oid, c.oid::regclass::text AS name, c.relkind FROM pg_class c JOIN schema s ON s.oid = c.relnamespace
  WHERE c.relkind IN ('r', 'p', 'f', 'v', 'm', 'S')
), function AS (
  SELECT p.oid, p.oid::regprocedure::text AS name, p.prosecdef, p.proowner
  FROM pg_proc p JOIN schema s ON s.oid = p.pronamespace
)
SELECT format('%s: %s on schema %s', r.name, p, s.name)
FROM role r, unnest(ARRAY['USAGE', 'CREATE']) p, schema s
WHERE s.name <> 'public' AND has_schema_privilege(r.name, s.oid, p)
UNION ALL
SELECT format('%s: %s on %s', r.name, string_agg(p, ', ' ORDER BY n), t.name)
FROM role r, relation t, unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES',
                                      'TRIGGER']) WITH ORDINALITY AS u (p, n)
WHERE t.relkind <> 'S' AND has_table_privilege(r.name, t.oid, p)
GROUP BY r.name, t.name
UNION ALL
SELECT format('%s: %s (%s) on %s', r.name, p, a.attname, t.name)
FROM role r, relation t, unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'REFERENCES']) p, pg_attribute a
WHERE t.relkind <> 'S' AND a.attrelid = t.oid AND NOT a.attisdropped
  AND has_column_privilege(r.name, t.oid, a.attnum, p) AND NOT has_table_privilege(r.name, t.oid, p)
UNION ALL
SELECT format('%s: %s on sequence %s', r.name, string_agg(p, ', ' ORDER BY n), t.name)
FROM role r, relation t, unnest(ARRAY['SELECT', 'USAGE', 'UPDATE']) WITH ORDINALITY AS u (p, n)
WHERE t.relkind = 'S' AND has_sequence_privilege(r.name, t.oid, p)
GROUP BY r.name, t.name
UNION ALL
SELECT format('%s: EXECUTE on %s', r.name, f.name)
FROM role r, function f WHERE has_function_privilege(r.name, f.oid, 'EXECUTE')
UNION ALL
SELECT format('%s: owner of SECURITY DEFINER %s', o.rolname, f.name)
FROM function f JOIN pg_roles o ON o.oid = f.proowner WHERE f.prosecdef
)sql";

/// One line each, in order; only those on a schema and what is in it, if one is named.
inline std::string permissions_in(pqxx::connection& connection, const std::string& schema = {}) {
  auto query = "SELECT line FROM (" + std::string(all_permissions) + ") x (line)";
  if (!schema.empty()) query += " WHERE line ~ ' " + schema + "(\\.|$)'";
  query += " ORDER BY line COLLATE \"C\"";
  pqxx::work tx(connection);
  tx.exec("SET LOCAL search_path = pg_catalog");
  std::string out;
  for (const auto& row : tx.exec(query)) out += row[0].as<std::string>() + '\n';
  return out;
}

}  // namespace rowrunner::testing
