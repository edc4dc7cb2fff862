-- How the owners and permissions in the schema rowrunner differ from what migrate sets. What it sets is read from
-- its own statements, $1 (ensure_permissions and ensure_api_permissions): each ALTER FUNCTION ... OWNER TO and
-- GRANT ... ON ... TO in them. $2 is the version of the schema that these are for; a newer schema has others.
WITH roles AS MATERIALIZED (
  SELECT r.rolname::text AS name, r.oid FROM pg_roles r
  WHERE r.rolname IN ('rowrunner_engine', 'rowrunner_job_writer', 'rowrunner_worker', 'rowrunner_app')
     OR (r.rolname IN ('rowrunner_server', 'rowrunner_callers') AND to_regclass('rowrunner.tokens') IS NOT NULL)
  UNION ALL SELECT 'public', 0
), object AS MATERIALIZED (
  SELECT c.oid, 'pg_class'::regclass AS catalog, c.oid::regclass::text AS name, c.relowner AS owner,
         CASE c.relkind WHEN 'S' THEN '{SELECT,USAGE,UPDATE}'
              ELSE '{SELECT,INSERT,UPDATE,DELETE,TRUNCATE,REFERENCES,TRIGGER}' END::text[] AS privileges, c.relkind
  FROM pg_class c WHERE c.relnamespace = to_regnamespace('rowrunner') AND c.relkind IN ('r', 'v', 'S')
  UNION ALL
  SELECT p.oid, 'pg_proc', p.oid::regprocedure::text, p.proowner, '{EXECUTE}', 'f'
  FROM pg_proc p WHERE p.pronamespace = to_regnamespace('rowrunner')
), granted AS MATERIALIZED (
  SELECT split_part(s, ' ON ', 1) AS privileges, split_part(split_part(s, ' ON ', 2), ' TO ', 1) AS objects,
         btrim(split_part(s, ' TO ', 2)) AS roles
  FROM regexp_matches($1, '^GRANT ([^;]+);', 'gw') m, regexp_replace(m[1], '\s+', ' ', 'g') s
), wanted AS MATERIALIZED (
  SELECT role, CASE WHEN g.objects LIKE 'FUNCTION %' THEN to_regprocedure(name)::oid
                    ELSE to_regclass(name)::oid END AS object, privilege
  FROM granted g, regexp_split_to_table(g.roles, ', ') role, regexp_split_to_table(g.privileges, ', ') privilege,
       -- A function may take a table's type, which is not followed by a parenthesis.
       regexp_split_to_table(regexp_replace(g.objects, '^(FUNCTION|SEQUENCE) ', ''),
                             CASE WHEN g.objects LIKE 'FUNCTION %' THEN ', (?=rowrunner\.\w+\()' ELSE ', ' END) name
  WHERE g.objects NOT LIKE 'SCHEMA %'
  UNION ALL
  SELECT 'rowrunner_worker', s, privilege
  FROM rowrunner.kinds k, unnest(ARRAY[k.wakeup::oid, k.reached::oid]) s, unnest('{SELECT,UPDATE}'::text[]) privilege
  UNION ALL
  SELECT 'rowrunner_engine', k.wakeup::oid, privilege
  FROM rowrunner.kinds k, unnest('{SELECT,UPDATE}'::text[]) privilege
), held AS MATERIALIZED (
  SELECT r.name AS role, o.oid AS object, privilege
  FROM object o CROSS JOIN roles r CROSS JOIN unnest(o.privileges) privilege
  WHERE o.owner <> r.oid
    AND CASE o.relkind WHEN 'f' THEN has_function_privilege(r.name, o.oid, privilege)
                       WHEN 'S' THEN has_sequence_privilege(r.name, o.oid, privilege)
                       ELSE has_table_privilege(r.name, o.oid, privilege) END
), owner AS MATERIALIZED (
  SELECT o.name, o.owner AS found, coalesce(e.owner, s.nspowner) AS expected, e.owner IS NOT NULL AS is_named
  FROM object o JOIN pg_namespace s ON s.nspname = 'rowrunner'
  LEFT JOIN (SELECT to_regprocedure(m[1])::oid AS object, to_regrole(m[2])::oid AS owner
             FROM regexp_matches($1, '^ALTER FUNCTION ([^;]+) OWNER TO ([a-z_]+);', 'gw') m) e
    ON e.object = o.oid AND o.relkind = 'f'
), difference AS (
  SELECT w.role || ' lacks' AS what, w.privilege || ' on ' || o.name AS item
  FROM wanted w JOIN object o ON o.oid = w.object JOIN roles r ON r.name = w.role
  WHERE w.privilege NOT LIKE '% (%' AND o.owner <> r.oid
    AND NOT EXISTS (SELECT FROM held h WHERE h.role = w.role AND h.object = w.object AND h.privilege = w.privilege)
  UNION ALL
  -- What PUBLIC has, every role has: it is named once.
  SELECT h.role || ' has too much:', h.privilege || ' on ' || o.name
  FROM held h JOIN object o ON o.oid = h.object
  WHERE NOT EXISTS (SELECT FROM wanted w
                    WHERE w.role = h.role AND w.object = h.object AND w.privilege = h.privilege)
    AND (h.role = 'public' OR NOT EXISTS (SELECT FROM held p WHERE p.role = 'public' AND p.object = h.object
                                          AND p.privilege = h.privilege))
  UNION ALL
  SELECT format('%I owns, instead of %I:', pg_get_userbyid(o.found), pg_get_userbyid(o.expected)), o.name
  FROM owner o
  WHERE o.found <> o.expected
    AND (o.is_named OR NOT EXISTS (  -- as schema_strangers has it
      SELECT FROM pg_roles r
      WHERE r.oid = o.found
        AND (r.rolsuper OR r.oid = (SELECT d.datdba FROM pg_database d WHERE d.datname = current_database()))))
  UNION ALL
  SELECT r.name || CASE WHEN wants THEN ' lacks' ELSE ' has too much:' END, privilege || ' on schema rowrunner'
  FROM roles r CROSS JOIN unnest('{USAGE,CREATE}'::text[]) privilege
  CROSS JOIN LATERAL (SELECT privilege = 'USAGE' AND r.name NOT IN ('public', 'rowrunner_job_writer')) x (wants)
  WHERE r.oid <> (SELECT s.nspowner FROM pg_namespace s WHERE s.nspname = 'rowrunner')
    AND has_schema_privilege(r.name, 'rowrunner', privilege) <> wants
    AND (r.name = 'public' OR wants OR NOT has_schema_privilege('public', 'rowrunner', privilege))
)
SELECT NULL::text,
       d.what || ' ' || (array_agg(d.item ORDER BY d.item))[1]
         || CASE WHEN count(*) > 1 THEN format(' and %s more', count(*) - 1) ELSE '' END,
       'run: rowrunner migrate'
FROM difference d
WHERE (SELECT i.version FROM rowrunner.schema_info i) <= $2::integer
GROUP BY d.what ORDER BY d.what
