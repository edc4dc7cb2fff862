-- Makes the roles that permissions are given to, and checks those that exist. They belong to the whole
-- cluster, so another database may have made them already, or be making them now.
--
-- rowrunner_worker and rowrunner_app are granted to the users that programs log in as. The owners of SECURITY DEFINER
-- functions, those of the engine and of each workload, do not log in. rowrunner_engine has permissions on the engine's
-- tables and on no job table. rowrunner_job_writer has permissions on columns of job tables and on nothing else, as
-- triggers of their owners run with them; see ensure_job_writer.
DO $$
DECLARE
  me CONSTANT pg_catalog.pg_roles := (SELECT r FROM pg_catalog.pg_roles r WHERE r.rolname = current_user);
  owners CONSTANT text[] := ARRAY[{owners}]::text[];
  all_roles CONSTANT text[] := owners || ARRAY['rowrunner_worker', 'rowrunner_app'];
  wanted text;
  can_give boolean;
  help CONSTANT text := 'Let an administrator run: ' || (
    SELECT coalesce(string_agg(format('CREATE ROLE %I NOLOGIN; ', r), ''), '') || format(
             'GRANT %s TO %I', array_to_string(owners, ', '), current_user)
    FROM unnest(all_roles) r
    WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = r));
BEGIN
  FOREACH wanted IN ARRAY all_roles LOOP
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = wanted) THEN
      BEGIN
        EXECUTE format('CREATE ROLE %I NOLOGIN', wanted);
      EXCEPTION
        WHEN duplicate_object OR unique_violation THEN NULL;
        WHEN insufficient_privilege THEN
          RAISE EXCEPTION 'role % is missing and % may not create it', wanted, me.rolname
            USING HINT = help;
      END;
    END IF;
  END LOOP;

  FOREACH wanted IN ARRAY owners LOOP
    IF EXISTS (SELECT FROM pg_roles r WHERE r.rolname = wanted
               AND (r.rolcanlogin OR r.rolsuper OR r.rolcreaterole OR r.rolcreatedb OR r.rolreplication
                    OR r.rolbypassrls OR EXISTS (SELECT FROM pg_auth_members m WHERE m.member = r.oid))) THEN
      RAISE EXCEPTION 'role % must not log in, have attributes or be a member of other roles', wanted
        USING HINT = format('Let an administrator run: ALTER ROLE %I NOLOGIN NOSUPERUSER NOCREATEROLE'
                            ' NOCREATEDB NOREPLICATION NOBYPASSRLS, and revoke its memberships.', wanted);
    END IF;
    -- A role that gives a function to another must be its member; from PostgreSQL 16 on, one that may SET it.
    CONTINUE WHEN me.rolsuper;
    IF current_setting('server_version_num')::integer >= 160000 THEN
      EXECUTE 'SELECT pg_has_role($1, $2, ''SET'') AND pg_has_role($1, $2, ''USAGE'')'
        INTO can_give USING me.rolname, wanted::name;
    ELSE
      can_give := pg_has_role(me.rolname, wanted::name, 'USAGE');
    END IF;
    CONTINUE WHEN can_give;
    BEGIN
      EXECUTE format('GRANT %I TO %I', wanted, me.rolname);
    EXCEPTION WHEN insufficient_privilege THEN
      RAISE EXCEPTION '% is not a member of %, to which functions belong', me.rolname, wanted
        USING HINT = help;
    END;
  END LOOP;
END
$$
