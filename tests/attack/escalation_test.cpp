#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/jobs.hpp"
#include "support/migrate.hpp"
#include "support/notices.hpp"
#include "support/postgres.hpp"

namespace rowrunner::testing {
namespace {

using ::testing::HasSubstr;

// mallory owns a job table and a schema, and whatever her triggers write down is in mallory.seen.
const std::vector<component> engine_only{admin::engine_component()};

class escalation : public ::testing::Test {
 protected:
  escalation() {
    db_.exec(
        "DO $$ BEGIN CREATE ROLE mallory NOLOGIN;"
        " EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$;"
        "CREATE SCHEMA mallory AUTHORIZATION mallory; GRANT ALL ON SCHEMA mallory TO PUBLIC;"
        "SET ROLE mallory; SET search_path = mallory, public;"
        "CREATE TABLE seen (what text); GRANT ALL ON seen TO PUBLIC;"
        "RESET ROLE;"
        "CREATE TABLE jobs (LIKE letter_jobs INCLUDING ALL);"
        "ALTER TABLE jobs OWNER TO mallory; RESET search_path");
  }

  std::string as(const std::string& role, const std::string& sql) {
    pqxx::work tx(db_.connection());
    try {
      tx.exec("SET LOCAL ROLE " + role);
      tx.exec(sql);
      tx.exec("RESET ROLE");
      tx.commit();
    } catch (const pqxx::sql_error& error) {
      return error.what();
    }
    return "";
  }

  // A trigger of mallory's for every change of her table, with this body.
  void trap(const std::string& body) {
    db_.exec(
        "SET ROLE mallory;"
        "CREATE FUNCTION mallory.trap() RETURNS trigger LANGUAGE plpgsql"
        " SET search_path = mallory, pg_catalog AS $f$ BEGIN " +
        body +
        " RETURN NEW; END $f$;"
        "CREATE TRIGGER trap BEFORE UPDATE ON mallory.jobs FOR EACH ROW"
        " EXECUTE FUNCTION mallory.trap(); RESET ROLE");
  }

  void attach() { db_.exec("SELECT rowrunner.attach('mallory.jobs', kind => 'trap')"); }

  std::string insert(const std::string& status) {
    return db_.value(
        "INSERT INTO mallory.jobs (batch_id, recipient, status, lease) VALUES ('p', '" + status +
        "', '" + status + "', CASE '" + status + "' WHEN 'processing' THEN 7 END) RETURNING id");
  }

  void put_function_in_place_of(const std::string& column, const std::string& type) {
    db_.exec("ALTER TABLE mallory.jobs RENAME COLUMN " + column +
             " TO was; CREATE FUNCTION mallory." + column + "(record) RETURNS " + type +
             " LANGUAGE plpgsql AS $f$ BEGIN INSERT INTO mallory.seen VALUES (current_user);"
             " RETURN NULL; END $f$");
  }
  void put_back(const std::string& column) {
    db_.exec("ALTER TABLE mallory.jobs RENAME COLUMN was TO " + column +
             "; DROP FUNCTION mallory." + column + "(record)");
  }
  std::string insert_as_mallory(const std::string& id, const std::string& status) {
    return as("mallory",
              "SET LOCAL search_path = mallory, public;"
              "INSERT INTO jobs (batch_id, recipient, " +
                  id + ", " + status + ") VALUES ('p', 'p', gen_random_uuid(), 'failed')");
  }

  std::string seen() {
    return db_.value("SELECT string_agg(DISTINCT what, ', ' ORDER BY what) FROM mallory.seen");
  }

  test_database db_;
};

// Of a row without the column, i.priority is the function priority(i).
TEST_F(escalation, a_column_that_is_gone_is_no_function_of_the_caller) {
  attach();
  const std::vector<std::pair<std::string, std::string>> columns{
      {"id", "uuid"},           {"status", "text"},
      {"priority", "smallint"}, {"run_at", "timestamptz"},
      {"attempts", "integer"},  {"last_error", "text"}};
  for (const auto& [column, type] : columns) {
    put_function_in_place_of(column, type);
    EXPECT_THAT(
        insert_as_mallory(column == "id" ? "was" : "id", column == "status" ? "was" : "status"),
        HasSubstr("column \"" + column + "\" does not exist"));
    put_back(column);
  }
  EXPECT_EQ(insert("failed").size(), 36u);
  EXPECT_EQ(seen(), "");
}

TEST_F(escalation, a_worker_cannot_hang_the_engines_triggers_on_its_own_table) {
  const auto trigger = [](const std::string& event, const std::string& level,
                          const std::string& function) {
    return "CREATE TEMP TABLE t (LIKE letter_jobs); CREATE TRIGGER t AFTER " + event +
           " ON t FOR EACH " + level + " EXECUTE FUNCTION rowrunner." + function +
           "('1', 'x', 'y')";
  };
  for (const std::string function : {"on_insert", "on_update", "on_delete", "on_truncate",
                                     "on_parent_update", "on_parent_delete"}) {
    const auto level = function == "on_truncate" ? "STATEMENT" : "ROW";
    const auto event = function.substr(function.rfind('_') + 1);
    for (const std::string role : {"rowrunner_worker", "rowrunner_app", "mallory"}) {
      EXPECT_THAT(as(role, trigger(event, level, function)), HasSubstr("permission denied"))
          << role << " " << function;
    }
  }
}

TEST_F(escalation, a_worker_cannot_point_a_kind_at_another_table) {
  for (const std::string column : {"job_table = 'mallory.jobs'", "wakeup = 'rowrunner.queue'",
                                   "cancelled_status = 'failed'", "id = DEFAULT"}) {
    EXPECT_THAT(as("rowrunner_worker", "UPDATE rowrunner.kinds SET " + column),
                HasSubstr("permission denied"))
        << column;
  }
  EXPECT_EQ(as("rowrunner_worker", "UPDATE rowrunner.kinds SET paused = true"), "");
}

TEST_F(escalation, attach_runs_no_trigger_of_the_tables_owner_with_the_attachers_rights) {
  insert("processing");
  insert("queued");
  insert("failed");
  trap("INSERT INTO mallory.seen VALUES (current_user);");
  attach();
  EXPECT_THAT(seen(), ::testing::AnyOf("", "rowrunner_job_writer"));
}

// An index that is only read can have code of its owner in it, which runs when a statement is
// planned.
TEST_F(escalation, attach_plans_nothing_of_the_tables_owner_with_the_attachers_rights) {
  db_.exec(
      "SET ROLE mallory;"
      "CREATE FUNCTION mallory.note() RETURNS void LANGUAGE sql AS"
      " 'INSERT INTO mallory.seen VALUES (current_user)';"
      "CREATE FUNCTION mallory.one() RETURNS integer IMMUTABLE LANGUAGE plpgsql AS"
      " $$ BEGIN PERFORM mallory.note(); RETURN 1; END $$;"
      "CREATE INDEX ON mallory.jobs (batch_id) WHERE mallory.one() = 1;"
      "TRUNCATE mallory.seen; RESET ROLE");
  insert("processing");
  insert("queued");
  db_.exec("TRUNCATE mallory.seen");
  attach();
  EXPECT_THAT(seen(), ::testing::AnyOf("", "rowrunner_job_writer"));
}

TEST_F(escalation, retry_and_cancel_run_triggers_with_the_rights_of_the_job_writer) {
  trap("INSERT INTO mallory.seen VALUES (current_user);");
  attach();
  const auto failed = insert("failed");
  const auto queued = insert("queued");
  db_.exec("SELECT rowrunner.requeue('trap', '" + failed + "')");
  db_.exec("SELECT rowrunner.cancel('trap', '" + queued + "')");
  EXPECT_EQ(seen(), "rowrunner_job_writer");
}

// run_after, firing and cancelling write rows of children, and lock those of parents.
TEST_F(escalation, joins_run_triggers_with_the_rights_of_the_job_writer) {
  trap("INSERT INTO mallory.seen VALUES (current_user);");
  db_.exec("SELECT rowrunner.attach('mallory.jobs', kind => 'trap', joins => true)");
  const auto parent = insert("queued");
  const auto enqueue = [&](const std::string& name, const std::string& policy) {
    return as(
        "rowrunner_app",
        "INSERT INTO mallory.jobs (batch_id, recipient) VALUES ('p', '" + name +
            "'); SELECT rowrunner.run_after('trap', (SELECT id FROM mallory.jobs WHERE recipient"
            " = '" +
            name + "'), 'trap', ARRAY['" + parent + "'::uuid], '" + policy + "')");
  };
  db_.exec("GRANT USAGE ON SCHEMA mallory TO PUBLIC");
  EXPECT_EQ(enqueue("runs", "run"), "");
  EXPECT_EQ(enqueue("ends", "cancel"), "");
  EXPECT_EQ(as("rowrunner_app", "SELECT rowrunner.cancel('trap', '" + parent + "')"), "");
  EXPECT_EQ(as("rowrunner_worker", "SELECT rowrunner.fire_joins()"), "");
  EXPECT_EQ(db_.value("SELECT string_agg(status, ' ' ORDER BY recipient) FROM mallory.jobs"),
            "failed failed queued");  // the child that it cancels, the parent, the other child
  EXPECT_EQ(seen(), "rowrunner_job_writer");
}

// An application may let its own jobs wait, but not hold those of others, nor fire or forget joins.
TEST_F(escalation, an_application_cannot_hold_a_job_that_it_did_not_enqueue) {
  db_.exec("SELECT rowrunner.attach('mallory.jobs', kind => 'trap', joins => true)");
  const auto parent = insert("queued");
  const auto other = db_.value(
      "INSERT INTO mallory.jobs (batch_id, recipient) VALUES ('p', 'other') RETURNING id");
  EXPECT_THAT(as("rowrunner_app", "SELECT rowrunner.run_after('trap', '" + other +
                                      "', 'trap', ARRAY['" + parent + "'::uuid])"),
              HasSubstr("does not wait for others"));
  for (const std::string sql :
       {"SELECT rowrunner.fire_joins()", "DELETE FROM rowrunner.waits",
        "DELETE FROM rowrunner.edges",
        "INSERT INTO rowrunner.join_candidates VALUES (1, gen_random_uuid())",
        "SELECT rowrunner.forget_wait(1::smallint, gen_random_uuid())",
        "SELECT rowrunner.hold_row('mallory.jobs', gen_random_uuid())"}) {
    EXPECT_THAT(as("rowrunner_app", sql), HasSubstr("permission denied")) << sql;
  }
  for (const std::string sql :
       {"DELETE FROM rowrunner.waits", "UPDATE rowrunner.waits SET run_at = now()",
        "DELETE FROM rowrunner.edges",
        "SELECT rowrunner.unhold_row('mallory.jobs', gen_random_uuid(), now())"}) {
    EXPECT_THAT(as("rowrunner_worker", sql), HasSubstr("permission denied")) << sql;
  }
}

// A role that runs as the owner of a function may move it into a schema of its own and replace its
// body there: the triggers of every job table would then run that with any role's permissions.
TEST_F(escalation, the_owner_of_a_job_table_cannot_take_the_engines_triggers_over) {
  trap(
      "BEGIN ALTER FUNCTION rowrunner.on_insert() SET SCHEMA mallory;"
      " INSERT INTO mallory.seen VALUES ('moved');"
      " EXCEPTION WHEN insufficient_privilege THEN INSERT INTO mallory.seen VALUES ('denied'); END;"
      "BEGIN CREATE TABLE rowrunner.hers (); INSERT INTO mallory.seen VALUES ('created');"
      " EXCEPTION WHEN insufficient_privilege THEN NULL; END;"
      "BEGIN UPDATE rowrunner.kinds SET job_table = job_table;"
      " INSERT INTO mallory.seen VALUES ('pointed');"
      " EXCEPTION WHEN insufficient_privilege THEN NULL; END;");
  attach();
  const auto id = insert("failed");
  db_.exec("SELECT rowrunner.requeue('trap', '" + id + "')");
  EXPECT_EQ(as("mallory", "UPDATE mallory.jobs SET status = 'queued', attempts = 9, lease = 1"),
            "");
  EXPECT_EQ(seen(), "denied");
}

// What her triggers run as has a few columns of job tables, and nothing else.
TEST_F(escalation, the_owner_of_a_job_table_cannot_reach_the_queue_or_the_contents_of_other_jobs) {
  std::string body;
  const std::pair<const char*, const char*> tries[] = {
      {"read", "PERFORM recipient FROM public.letter_jobs"},
      {"wrote", "UPDATE public.letter_jobs SET recipient = 'hers'"},
      {"inserted", "INSERT INTO public.letter_jobs (batch_id, recipient) VALUES ('p', 'x')"},
      {"deleted", "DELETE FROM public.letter_jobs"},
      {"queue", "DELETE FROM rowrunner.queue"},
      {"leases", "INSERT INTO rowrunner.leases VALUES (1, 1, 'x', now(), '{}')"},
      {"kinds", "PERFORM FROM rowrunner.kinds"},
      {"failures", "PERFORM error FROM rowrunner.failures"},
      {"altered", "ALTER FUNCTION rowrunner.fire_deferred() SECURITY INVOKER"},
      {"moved", "ALTER FUNCTION rowrunner.fire_deferred() SET SCHEMA mallory"},
      {"dropped", "DROP FUNCTION rowrunner.fire_deferred()"},
      {"dropped all", "DROP OWNED BY rowrunner_job_writer"}};
  for (const auto& [what, statement] : tries) {
    body += std::string("BEGIN ") + statement + "; INSERT INTO mallory.seen VALUES ('" + what +
            "'); EXCEPTION WHEN insufficient_privilege THEN NULL; END;";
  }
  trap(body + "INSERT INTO mallory.seen VALUES (current_user);");
  attach();
  const auto failed = insert("failed");
  const auto queued = insert("queued");
  db_.exec("SELECT rowrunner.requeue('trap', '" + failed + "')");
  db_.exec("SELECT rowrunner.cancel('trap', '" + queued + "')");
  EXPECT_EQ(seen(), "rowrunner_job_writer");
}

TEST_F(escalation, migrate_makes_the_functions_of_the_job_writer_anew) {
  attach();
  const auto id = insert("queued");
  db_.exec("DROP OWNED BY rowrunner_job_writer");
  const auto cancel = "SELECT rowrunner.cancel('trap', '" + id + "')";
  EXPECT_THAT(as("rowrunner_app", cancel), HasSubstr("cancel_row"));
  migrate(db_.url(), engine_only);
  EXPECT_EQ(as("rowrunner_app", cancel), "");
  EXPECT_EQ(db_.value("SELECT status FROM mallory.jobs"), "failed");
}

// After a restore without roles these functions belong to the role that restored.
TEST_F(escalation, a_function_of_the_job_writer_runs_nothing_as_another_role) {
  attach();
  const auto id = insert("failed");
  trap("INSERT INTO mallory.seen VALUES (current_user);");
  const auto functions = db_.rows(
      "SELECT p.oid::regprocedure, p.prosrc FROM pg_proc p"
      " WHERE p.proowner = 'rowrunner_job_writer'::regrole");
  ASSERT_GE(functions.size(), 4U);
  for (const auto& row : functions) {
    const auto name = row[0].as<std::string>();
    EXPECT_THAT(row[1].as<std::string>(),
                HasSubstr("\nBEGIN\n  IF current_user <> 'rowrunner_job_writer' THEN\n    RAISE"))
        << name;
    EXPECT_THAT(row[1].as<std::string>(), HasSubstr("set search_path or left a cursor")) << name;
    db_.exec("ALTER FUNCTION " + name + " OWNER TO CURRENT_USER");
  }
  const auto call = [&](const std::string& function) {
    return "SELECT rowrunner." + function + "('trap', '" + id + "')";
  };
  for (const std::string function : {"requeue", "cancel", "enqueue_again"}) {
    try {
      db_.exec(call(function));
      ADD_FAILURE() << function;
    } catch (const pqxx::sql_error& error) {
      EXPECT_THAT(error.what(), HasSubstr("not as rowrunner_job_writer"));
    }
  }
  EXPECT_EQ(seen(), "");
  migrate(db_.url(), engine_only);
  db_.exec("SELECT rowrunner.requeue('trap', '" + id + "')");
  EXPECT_EQ(seen(), "rowrunner_job_writer");
}

// What a user's trigger names without a schema is not found under the search_path of workers.
TEST_F(escalation, attach_names_trigger_functions_without_a_search_path) {
  db_.exec(
      "CREATE FUNCTION mallory.plain() RETURNS trigger LANGUAGE plpgsql AS"
      " 'BEGIN RETURN NULL; END';"
      "CREATE FUNCTION mallory.fixed() RETURNS trigger LANGUAGE plpgsql SET search_path = mallory "
      "AS"
      " 'BEGIN RETURN NULL; END';"
      "CREATE TRIGGER p AFTER INSERT ON mallory.jobs EXECUTE FUNCTION mallory.plain();"
      "CREATE TRIGGER f AFTER INSERT ON mallory.jobs EXECUTE FUNCTION mallory.fixed()");
  notices heard(db_.connection());
  attach();
  EXPECT_THAT(heard.all(),
              HasSubstr("ALTER FUNCTION mallory.plain() SET search_path = mallory, pg_temp"));
  EXPECT_THAT(heard.all(), ::testing::Not(HasSubstr("fixed")));
}

TEST_F(escalation, attach_is_for_the_owner_of_the_table) {
  db_.exec(
      "DO $$ BEGIN CREATE ROLE clerk NOLOGIN;"
      " EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$;"
      "GRANT USAGE ON SCHEMA rowrunner TO clerk;"
      "GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA rowrunner TO clerk");
  EXPECT_THAT(as("clerk", "SELECT rowrunner.attach('mallory.jobs', kind => 'trap')"),
              HasSubstr("Run: GRANT mallory TO clerk"));
}

TEST_F(escalation, attach_names_the_schema_that_roles_may_not_use) {
  db_.exec("REVOKE ALL ON SCHEMA mallory FROM PUBLIC");
  notices heard(db_.connection());
  attach();
  EXPECT_THAT(heard.all(),
              HasSubstr("GRANT USAGE ON SCHEMA mallory TO rowrunner_app, rowrunner_job_writer, "
                        "rowrunner_worker"));
}

}  // namespace
}  // namespace rowrunner::testing
