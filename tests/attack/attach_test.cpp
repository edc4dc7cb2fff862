// Tables on which the engine could not keep its promises are refused, and attach runs no code of a
// table's owner.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

#include "support/job_table.hpp"
#include "support/jobs.hpp"
#include "support/paths.hpp"
#include "support/process.hpp"
#include "support/watched_database.hpp"

namespace rowrunner::testing {
namespace {

using ::testing::HasSubstr;

class attach_attack : public ::testing::Test {
 protected:
  // Why the table is refused; nothing of it is attached then.
  std::string refusal(const std::string& table = "my_jobs") {
    const auto error = error_of(db_, "SELECT rowrunner.attach('" + table + "', kind => 'mine')");
    EXPECT_EQ(db_.value("SELECT count(*) FROM rowrunner.kinds WHERE kind = 'mine'"), "0");
    return error;
  }

  watched_database db_;
};

TEST_F(attach_attack, partitions_are_refused) {
  db_.exec("CREATE TABLE whole (" + job_columns({}, false) + ") PARTITION BY LIST (id)");
  EXPECT_THAT(refusal("whole"), HasSubstr("is not an ordinary table but a partitioned table"));
  db_.exec("CREATE TABLE part PARTITION OF whole (PRIMARY KEY (id)) DEFAULT");
  EXPECT_THAT(refusal("part"), HasSubstr("it is a partition of public.whole"));
}

TEST_F(attach_attack, inheritance_is_refused_at_both_ends) {
  create_my_jobs(db_);
  db_.exec("CREATE TABLE child (PRIMARY KEY (id)) INHERITS (my_jobs)");
  EXPECT_THAT(refusal("child"), HasSubstr("it is an inheritance child of public.my_jobs"));
  EXPECT_THAT(refusal("my_jobs"), HasSubstr("public.child inherits from it"));
}

TEST_F(attach_attack, tables_that_do_not_last_are_refused) {
  db_.exec("CREATE TEMP TABLE passing (" + job_columns() + ")");
  EXPECT_THAT(refusal("passing"), HasSubstr("it is a temporary table"));
  db_.exec("CREATE UNLOGGED TABLE volatile (" + job_columns() + ")");
  EXPECT_THAT(refusal("volatile"), HasSubstr("ALTER TABLE public.volatile SET LOGGED"));
  db_.exec("ALTER TABLE volatile SET LOGGED");
  EXPECT_EQ(error_of(db_, "SELECT rowrunner.attach('volatile', kind => 'mine')"), "");
}

TEST_F(attach_attack, foreign_tables_are_refused) {
  db_.exec(
      "CREATE FOREIGN DATA WRAPPER nowhere; CREATE SERVER nowhere FOREIGN DATA WRAPPER nowhere");
  db_.exec("CREATE FOREIGN TABLE abroad (" + job_columns({}, false) + ") SERVER nowhere");
  EXPECT_THAT(refusal("abroad"), HasSubstr("is not an ordinary table but a foreign table"));
}

TEST_F(attach_attack, columns_that_the_engine_cannot_write_are_refused) {
  create_my_jobs(db_, {{"run_at",
                        "timestamptz NOT NULL GENERATED ALWAYS AS"
                        " ('2020-01-01 00:00:00+00'::timestamptz) STORED"}});
  EXPECT_THAT(refusal(), HasSubstr("column run_at is generated, but the engine writes it"));
  create_my_jobs(db_, {{"attempts", "integer GENERATED ALWAYS AS IDENTITY"}});
  EXPECT_THAT(refusal(), HasSubstr("column attempts is an identity column"));
}

TEST_F(attach_attack, what_hides_or_changes_rows_is_refused) {
  create_my_jobs(db_);
  db_.exec("ALTER TABLE my_jobs ENABLE ROW LEVEL SECURITY");
  EXPECT_THAT(refusal(), HasSubstr("ALTER TABLE public.my_jobs DISABLE ROW LEVEL SECURITY"));
  create_my_jobs(db_);
  db_.exec("CREATE RULE \"no end\" AS ON UPDATE TO my_jobs DO INSTEAD NOTHING");
  EXPECT_THAT(refusal(), HasSubstr("rule \"no end\" changes what is written"));
}

TEST_F(attach_attack, defaults_that_make_no_job_are_refused_with_the_alter_that_helps) {
  for (const auto& [column, changed, better] :
       {std::tuple{"attempts", "integer NOT NULL DEFAULT 3", "0"},
        std::tuple{"max_attempts", "integer NOT NULL DEFAULT (1 - 1)", "3"},
        std::tuple{"run_at", "timestamptz NOT NULL DEFAULT 'infinity'", "now()"},
        std::tuple{"run_at", "timestamptz NOT NULL DEFAULT now() + interval '1 day'", "now()"},
        std::tuple{"run_at", "timestamptz NOT NULL DEFAULT clock_timestamp()", "now()"},
        std::tuple{"priority", "smallint NOT NULL DEFAULT (NULL::integer)", "0"},
        std::tuple{"priority", "smallint NOT NULL DEFAULT (1 / 0)", "0"}}) {
    create_my_jobs(db_, {{column, changed}});
    EXPECT_THAT(refusal(), HasSubstr(std::string{"ALTER TABLE public.my_jobs ALTER COLUMN "} +
                                     column + " SET DEFAULT " + better))
        << changed;
  }
  create_my_jobs(db_, {{"run_at", "timestamptz NOT NULL DEFAULT now() - interval '1 second'"}});
  EXPECT_EQ(error_of(db_, attach_mine), "");
}

TEST_F(attach_attack, a_check_that_refuses_the_engines_words_is_refused) {
  create_my_jobs(db_);
  db_.exec(
      "ALTER TABLE my_jobs ADD CONSTRAINT known CHECK (status IN ('queued', 'done', 'failed'))");
  const auto why = refusal();
  EXPECT_THAT(why, HasSubstr("known refuses status 'processing'"));
  EXPECT_THAT(why, HasSubstr("known refuses status 'succeeded'"));
  create_my_jobs(db_);
  db_.exec("ALTER TABLE my_jobs ADD CHECK (status::integer > 0)");
  EXPECT_THAT(refusal(), HasSubstr("refuses status 'queued'"));
  create_my_jobs(db_);
  db_.exec("ALTER TABLE my_jobs ADD CHECK (length(status) <= 10 AND status !~ '^c')");
  EXPECT_EQ(error_of(db_, attach_mine), "");
  EXPECT_EQ(db_.value("SELECT cancelled_status FROM rowrunner.kinds WHERE kind = 'mine'"),
            "failed");
}

// A role that may create a table must not get the permissions of the administrator who attaches it.
TEST_F(attach_attack, runs_no_code_of_the_tables_owner) {
  db_.exec("CREATE TABLE ran (what text)");
  db_.exec(
      "CREATE FUNCTION evil(text) RETURNS boolean LANGUAGE plpgsql AS $$"
      " BEGIN INSERT INTO public.ran VALUES ($1); RETURN true; END $$");
  db_.exec(
      "CREATE FUNCTION evil_trigger() RETURNS trigger LANGUAGE plpgsql AS $$"
      " BEGIN INSERT INTO public.ran VALUES (TG_OP); RETURN NEW; END $$");
  db_.exec(
      "CREATE FUNCTION evil_number() RETURNS smallint LANGUAGE plpgsql AS $$"
      " BEGIN INSERT INTO public.ran VALUES ('number'); RETURN 0; END $$");
  create_my_jobs(db_, {{"priority", "smallint NOT NULL DEFAULT evil_number()"}});
  db_.exec("INSERT INTO my_jobs (name, status, lease) VALUES ('a', 'processing', 7)");
  db_.exec("INSERT INTO my_jobs (name) VALUES ('b')");
  db_.exec("TRUNCATE ran");
  db_.exec("ALTER TABLE my_jobs ADD CHECK (evil(status)) NOT VALID");
  // Built-in functions can run code too.
  db_.exec(
      "ALTER TABLE my_jobs ADD CHECK (status <> query_to_xml("
      "'SELECT public.evil(''xml'')', true, true, '')::text) NOT VALID");
  db_.exec(
      "CREATE TRIGGER evil BEFORE INSERT OR UPDATE ON my_jobs"
      " FOR EACH ROW EXECUTE FUNCTION evil_trigger()");
  EXPECT_EQ(error_of(db_, attach_mine), "");
  EXPECT_EQ(db_.value("SELECT string_agg(what, ' ') FROM ran"), "");
  EXPECT_EQ(lost_jobs(db_, "my_jobs"), "0 0");
}

TEST_F(attach_attack, rows_in_the_hands_of_another_system_are_named) {
  create_my_jobs(db_);
  db_.exec("INSERT INTO my_jobs (name, status) VALUES ('a', 'processing')");
  EXPECT_THAT(refusal(), HasSubstr("1 rows of public.my_jobs are processing"));
}

TEST_F(attach_attack, an_old_snapshot_is_refused) {
  create_my_jobs(db_);
  for (const std::string level : {"REPEATABLE READ", "SERIALIZABLE"}) {
    pqxx::connection other(db_.url());
    pqxx::nontransaction old(other);
    old.exec("BEGIN ISOLATION LEVEL " + level);
    old.exec("SELECT count(*) FROM my_jobs");
    db_.exec("INSERT INTO my_jobs (name) VALUES ('missed')");
    std::string why;
    try {
      old.exec(attach_mine);
    } catch (const pqxx::sql_error& error) {
      why = error.what();
    }
    EXPECT_THAT(why, HasSubstr("attach would miss jobs under " + level));
    old.exec("ROLLBACK");
  }
}

TEST(migrate_attack, works_where_transactions_are_serializable_by_default) {
  test_database db(test_database::contents::empty);
  db.exec("ALTER DATABASE " + db.name() + " SET default_transaction_isolation = 'serializable'");
  const auto result = run_process({rowrunner_binary(), "migrate"}, {{"DATABASE_URL", db.url()}});
  EXPECT_EQ(result.exit_code, 0) << result.err;
}

TEST_F(attach_attack, waits_for_an_insert_under_an_old_snapshot_and_sees_it) {
  create_my_jobs(db_);
  pqxx::connection other(db_.url());
  pqxx::nontransaction writer(other);
  writer.exec("BEGIN ISOLATION LEVEL REPEATABLE READ");
  writer.exec("INSERT INTO my_jobs (name) VALUES ('a')");
  auto attached = std::async(std::launch::async, [this] {
    pqxx::connection mine(db_.url());
    pqxx::work tx(mine);
    tx.exec(attach_mine);
    tx.commit();
  });
  const auto waiting =
      "SELECT count(*) FROM pg_locks WHERE NOT granted"
      " AND relation = 'my_jobs'::regclass";
  EXPECT_TRUE(db_.becomes(waiting, "1"));
  writer.exec("COMMIT");
  attached.get();
  EXPECT_EQ(lost_jobs(db_, "my_jobs"), "0 0");
  EXPECT_EQ(db_.value("SELECT rowrunner.claim('mine', 'w')->>'name'"), "a");
}

}  // namespace
}  // namespace rowrunner::testing
