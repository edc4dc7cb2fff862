-- The role that a command runs as, whether it has the roles of applications and workers, and the owner of the schema.
SELECT current_user,
       coalesce(pg_has_role(to_regrole('rowrunner_app'), 'USAGE'), false),
       coalesce(pg_has_role(to_regrole('rowrunner_worker'), 'USAGE'), false),
       (SELECT pg_get_userbyid(n.nspowner) FROM pg_namespace n WHERE n.nspname = 'rowrunner')
