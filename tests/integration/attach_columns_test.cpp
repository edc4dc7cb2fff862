// attach(…, add_columns => true) makes a table that is in use a job table.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/jobs.hpp"
#include "support/notices.hpp"
#include "support/paths.hpp"
#include "support/process.hpp"

namespace rowrunner::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* attach_orders =
    "SELECT rowrunner.attach('orders', kind => 'invoice', add_columns => true)";
constexpr const char* enqueue_orders =
    "SELECT rowrunner.attach('orders', kind => 'invoice', add_columns => true,"
    " enqueue_existing => true)";

class attach_columns : public ::testing::Test {
 protected:
  // A table of an application that knows nothing of jobs, with a thousand rows.
  attach_columns() {
    db_.exec(
        "CREATE TABLE orders (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), customer text);"
        "INSERT INTO orders (customer) SELECT 'c' || n FROM generate_series(1, 1000) n");
  }

  std::string columns() {
    return db_.value(
        "SELECT string_agg(attname, ' ' ORDER BY attnum) FROM pg_attribute"
        " WHERE attrelid = 'orders'::regclass AND attnum > 0 AND NOT attisdropped");
  }
  // What would differ if a row had been written.
  std::string storage() {
    return db_.value(
        "SELECT pg_relation_filenode('orders') || ' ' || pg_relation_size('orders')"
        " || ' ' || (SELECT md5(string_agg(xmin || ctid::text, ',' ORDER BY id))"
        "            FROM orders)");
  }
  std::string statuses() {
    return db_.value(
        "SELECT string_agg(n || ' ' || status, ', ' ORDER BY status)"
        " FROM (SELECT status, count(*) n FROM orders GROUP BY status) s");
  }
  std::string entries() { return db_.value("SELECT count(*) FROM rowrunner.queue"); }
  void drain() {
    const auto done = run_process(
        {rowrunner_binary(), "worker", "--drain", "--handler", "invoice=noop", "--kind", "invoice"},
        {{"DATABASE_URL", db_.url()}});
    EXPECT_EQ(done.exit_code, 0) << done.err;
  }

  test_database db_;
};

TEST_F(attach_columns, adds_what_is_missing_without_writing_a_row) {
  const auto before = storage();
  const notices heard(db_.connection());
  db_.exec(attach_orders);
  EXPECT_EQ(storage(), before);
  EXPECT_EQ(columns(),
            "id customer status attempts max_attempts last_error created_at updated_at locked_at"
            " locked_by lease priority run_at");
  EXPECT_EQ(db_.value("SELECT count(*) FROM rowrunner.attach_problems('orders')"), "0");
  EXPECT_THAT(
      heard.all(),
      AllOf(HasSubstr("public.orders got the columns status, attempts, max_attempts, last_error,"
                      " created_at, updated_at, locked_at, locked_by, lease, priority, run_at"),
            HasSubstr("the rows of public.orders count as succeeded: none of them is enqueued")));
  EXPECT_EQ(statuses(), "1000 succeeded");
  EXPECT_EQ(entries(), "0");
}

// All traffic waits until it is over.
TEST_F(attach_columns, reads_no_row_either) {
  pqxx::work tx(db_.connection());
  // It counts what an earlier transaction has not reported yet, too.
  const auto scans = [&] {
    return tx
        .exec(
            "SELECT seq_scan + coalesce(idx_scan, 0) FROM pg_stat_xact_user_tables"
            " WHERE relname = 'orders'")[0][0]
        .as<int>();
  };
  const auto before = scans();
  tx.exec(attach_orders);
  EXPECT_EQ(scans(), before);
}

TEST_F(attach_columns, an_application_that_knows_no_jobs_enqueues_them) {
  db_.exec(attach_orders);
  db_.exec("INSERT INTO orders (customer) VALUES ('new')");
  db_.exec("INSERT INTO orders VALUES (gen_random_uuid(), 'by position')");
  EXPECT_EQ(statuses(), "2 queued, 1000 succeeded");
  EXPECT_EQ(entries(), "2");
  EXPECT_EQ(lost_jobs(db_, "orders"), "0 0");
  drain();
  EXPECT_EQ(statuses(), "1002 succeeded");
  EXPECT_EQ(db_.value("SELECT string_agg(customer, ', ' ORDER BY customer) FROM orders"
                      " WHERE updated_at > created_at"),
            "by position, new");
}

TEST_F(attach_columns, rows_that_are_there_become_jobs_if_asked) {
  const auto before = storage();
  db_.exec(enqueue_orders);
  EXPECT_EQ(storage(), before);
  EXPECT_EQ(statuses(), "1000 queued");
  EXPECT_EQ(entries(), "1000");
  drain();
  EXPECT_EQ(statuses(), "1000 succeeded");
  EXPECT_EQ(entries(), "0");
}

TEST_F(attach_columns, a_status_by_hand_must_be_one_of_the_engines) {
  db_.exec(attach_orders);
  EXPECT_THAT(error_of(db_, "UPDATE orders SET status = 'shipped' WHERE customer = 'c1'"),
              HasSubstr("orders_status_check"));
  db_.exec("UPDATE orders SET status = 'queued' WHERE customer = 'c1'");
  EXPECT_EQ(entries(), "1");
  EXPECT_EQ(db_.value("SELECT cancelled_status FROM rowrunner.kinds WHERE kind = 'invoice'"),
            "cancelled");
}

// Everything that came after it would wait too.
TEST_F(attach_columns, gives_up_soon_if_a_transaction_uses_the_table) {
  pqxx::connection other(db_.url());
  {
    pqxx::work reader(other);
    reader.exec("SELECT count(*) FROM orders");
    db_.exec("SET statement_timeout = '30s'");
    EXPECT_EQ(sqlstate_of(db_, attach_orders), "55P03");
    EXPECT_THAT(error_of(db_, attach_orders),
                AllOf(HasSubstr("public.orders is in use, and adding columns would hold up"
                                " everything that comes after"),
                      HasSubstr("In use by process " + std::to_string(other.backendpid())),
                      HasSubstr("Try again; nothing was changed.")));
    db_.exec("INSERT INTO orders (customer) VALUES ('meanwhile')");
    EXPECT_EQ(columns(), "id customer");
  }
  db_.exec(attach_orders);
  EXPECT_EQ(statuses(), "1001 succeeded");
}

TEST_F(attach_columns, twice_is_fine) {
  db_.exec(attach_orders);
  db_.exec("INSERT INTO orders (customer) VALUES ('new')");
  const auto before = columns();
  for (const auto* again : {attach_orders, enqueue_orders}) {
    const notices heard(db_.connection());
    db_.exec(again);
    EXPECT_THAT(heard.all(), Not(HasSubstr("got the columns")));
    EXPECT_EQ(columns(), before);
    EXPECT_EQ(statuses(), "1 queued, 1000 succeeded");
    EXPECT_EQ(entries(), "1");
  }
}

TEST_F(attach_columns, a_status_that_is_there_says_what_is_enqueued) {
  db_.exec(
      "ALTER TABLE orders ADD COLUMN status text NOT NULL DEFAULT 'queued';"
      "UPDATE orders SET status = 'succeeded' WHERE customer <> 'c7'");
  const notices heard(db_.connection());
  db_.exec(enqueue_orders);
  EXPECT_EQ(statuses(), "1 queued, 999 succeeded");
  EXPECT_EQ(lost_jobs(db_, "orders"), "0 0");
  EXPECT_EQ(entries(), "1");
  EXPECT_THAT(heard.all(), AllOf(HasSubstr("got the columns attempts, max_attempts"),
                                 HasSubstr("public.orders had a column status already")));
}

TEST_F(attach_columns, a_column_of_another_type_is_refused_with_both_types) {
  db_.exec("ALTER TABLE orders ADD COLUMN attempts bigint, ADD COLUMN created_at timestamp");
  EXPECT_THAT(error_of(db_, attach_orders),
              AllOf(HasSubstr("column attempts is bigint, must be integer"),
                    HasSubstr("column created_at is timestamp without time zone, must be timestamp"
                              " with time zone"),
                    Not(HasSubstr("is missing"))));
  EXPECT_EQ(columns(), "id customer attempts created_at");
}

TEST_F(attach_columns, what_it_cannot_add_is_refused_as_ever) {
  db_.exec("CREATE INDEX recent ON orders (customer)");
  db_.exec("ALTER TABLE orders ADD COLUMN updated_at timestamptz NOT NULL DEFAULT now()");
  db_.exec("CREATE INDEX changed ON orders (updated_at)");
  EXPECT_THAT(error_of(db_, attach_orders),
              HasSubstr("index public.changed uses column updated_at"));
  db_.exec("DROP TABLE orders; CREATE TABLE orders (id bigint PRIMARY KEY)");
  EXPECT_THAT(error_of(db_, attach_orders), HasSubstr("column id is bigint, must be uuid"));
  db_.exec("DROP TABLE orders; CREATE TABLE orders (number uuid PRIMARY KEY)");
  EXPECT_THAT(error_of(db_, attach_orders), HasSubstr("column id is missing (uuid NOT NULL)"));
  db_.exec("DROP TABLE orders; CREATE TABLE orders (id uuid NOT NULL DEFAULT gen_random_uuid())");
  EXPECT_THAT(error_of(db_, attach_orders), HasSubstr("id must be the primary key"));
}

TEST_F(attach_columns, enqueue_existing_alone_is_refused) {
  EXPECT_THAT(
      error_of(db_,
               "SELECT rowrunner.attach('orders', kind => 'invoice', enqueue_existing => true)"),
      HasSubstr("enqueue_existing is for add_columns => true"));
}

TEST_F(attach_columns, warns_that_retention_deletes_the_rows_that_are_there) {
  const notices heard(db_.connection());
  db_.exec(
      "SELECT rowrunner.attach('orders', kind => 'invoice', add_columns => true,"
      " retention => '7 days')");
  EXPECT_THAT(heard.all(), HasSubstr("retention will delete the rows that public.orders has now"));
}

// The owner of a table must not get the permissions of the administrator who attaches it.
TEST_F(attach_columns, runs_no_code_of_the_tables_owner) {
  db_.exec(
      "CREATE TABLE ran (what text);"
      "CREATE FUNCTION note(text) RETURNS boolean LANGUAGE plpgsql AS"
      " $$ BEGIN INSERT INTO public.ran VALUES ($1); RETURN true; END $$;"
      "CREATE FUNCTION note_change() RETURNS trigger LANGUAGE plpgsql AS"
      " $$ BEGIN INSERT INTO public.ran VALUES (TG_OP); RETURN NEW; END $$;"
      "ALTER TABLE orders ADD CHECK (note(customer)) NOT VALID,"
      " ADD COLUMN priority smallint NOT NULL DEFAULT 0;"
      "CREATE TRIGGER note_change BEFORE INSERT OR UPDATE ON orders FOR EACH ROW"
      " EXECUTE FUNCTION note_change(); TRUNCATE ran");
  db_.exec(attach_orders);
  EXPECT_EQ(db_.value("SELECT string_agg(what, ' ') FROM ran"), "");
}

TEST_F(attach_columns, is_for_the_owner) {
  pqxx::work tx(db_.connection());
  tx.exec("GRANT ALL ON SCHEMA rowrunner TO rowrunner_app");
  tx.exec("GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA rowrunner TO rowrunner_app");
  tx.exec("GRANT ALL ON orders TO rowrunner_app");
  tx.exec("SET LOCAL ROLE rowrunner_app");
  std::string why;
  try {
    tx.exec(attach_orders);
  } catch (const pqxx::sql_error& error) {
    why = error.what();
  }
  EXPECT_THAT(why, HasSubstr("and rowrunner_app may not change it"));
}

}  // namespace
}  // namespace rowrunner::testing
