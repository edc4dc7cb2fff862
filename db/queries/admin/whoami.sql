-- The role that a command runs as, and whether it has the roles of applications and workers.
SELECT current_user,
       coalesce(pg_has_role(to_regrole('rowrunner_app'), 'USAGE'), false),
       coalesce(pg_has_role(to_regrole('rowrunner_worker'), 'USAGE'), false)
