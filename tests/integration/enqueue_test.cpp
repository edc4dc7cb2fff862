#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rowrunner/enqueue.hpp>

#include "support/jobs.hpp"

namespace rowrunner::testing {
namespace {

using namespace std::string_literals;
using namespace std::chrono_literals;
using ::testing::HasSubstr;

class enqueue_test : public ::testing::Test {
 protected:
  static new_job letter(const std::string& name) {
    new_job job;
    job.columns = {{"batch_id", "p"}, {"recipient", name}};
    return job;
  }

  std::optional<std::string> commit(const new_job& job) {
    pqxx::work tx(db_.connection());
    const auto id = enqueue(tx, "letter", job);
    tx.commit();
    return id;
  }

  // What a call complains about. It must not have written anything, and the transaction must go on.
  template <typename Call>
  std::string bad_input_of(Call call) {
    pqxx::work tx(db_.connection());
    std::string message;
    try {
      call(tx);
    } catch (const bad_input& error) {
      message = error.what();
    }
    EXPECT_EQ(tx.exec("SELECT count(*) FROM letter_jobs")[0][0].as<int>(), 0);
    tx.commit();
    return message;
  }

  std::string bad_job(const new_job& job) {
    return bad_input_of([&](pqxx::work& tx) { enqueue(tx, "letter", job); });
  }

  std::string count(const std::string& table) { return db_.value("SELECT count(*) FROM " + table); }

  test_database db_;
};

TEST_F(enqueue_test, gives_a_job_its_id_and_place) {
  const auto first = commit(letter("京都"));
  const auto second = commit(letter("a \"quoted\" {name}, 'x' \\ y"));
  ASSERT_TRUE(first && second);
  EXPECT_LT(*first, *second);  // time-ordered
  EXPECT_EQ(claim_names(db_), "京都 a \"quoted\" {name}, 'x' \\ y");
  EXPECT_EQ(db_.value("SELECT count(*) FROM letter_jobs WHERE id IN ('" + *first + "', '" +
                      *second + "')"),
            "2");
}

TEST_F(enqueue_test, skips_a_key_that_exists) {
  EXPECT_TRUE(commit(letter("a")).has_value());
  EXPECT_EQ(commit(letter("a")), std::nullopt);
  EXPECT_EQ(count("rowrunner.queue"), "1");
}

TEST_F(enqueue_test, takes_every_setting) {
  auto job = letter("a");
  job.id = "01890a5d-ac96-774b-bcce-b302099a8057";
  job.priority = -3;
  job.max_attempts = 7;
  job.delay = 90min;
  EXPECT_EQ(commit(job), job.id);
  EXPECT_EQ(db_.value("SELECT priority || ' ' || max_attempts || ' ' || (run_at - created_at)"
                      " FROM letter_jobs"),
            "-3 7 01:30:00");
  EXPECT_EQ(count("rowrunner.delayed"), "1");
  auto later = letter("b");
  later.run_at = std::chrono::system_clock::time_point(1'900'000'000'123'456us);
  commit(later);
  EXPECT_EQ(db_.value("SELECT extract(epoch FROM run_at) FROM letter_jobs WHERE recipient = 'b'"),
            "1900000000.123456");
}

TEST_F(enqueue_test, happens_in_the_callers_transaction) {
  pqxx::work tx(db_.connection());
  EXPECT_TRUE(enqueue(tx, "letter", letter("a")).has_value());
  enqueue_many(tx, "letter", {"batch_id", "recipient"}, {{"p", "b"}, {"p", "c"}});
  tx.abort();
  EXPECT_EQ(count("letter_jobs"), "0");
  EXPECT_EQ(count("rowrunner.queue"), "0");
}

TEST_F(enqueue_test, names_an_unknown_kind_and_those_there_are) {
  EXPECT_EQ(bad_input_of([&](pqxx::work& tx) { enqueue(tx, "nope", letter("a")); }),
            "unknown kind 'nope'; attached kinds: letter");
  EXPECT_EQ(bad_input_of([&](pqxx::work& tx) { enqueue(tx, "no\0pe"s, letter("a")); }),
            "kind: NUL character at byte 2, which PostgreSQL cannot store in a text");
}

TEST_F(enqueue_test, names_an_unknown_column_and_those_there_are) {
  auto job = letter("a");
  job.columns["name"] = "x";
  EXPECT_EQ(bad_job(job),
            "kind letter has no column 'name'; there are: id, batch_id, recipient, max_attempts, "
            "created_at, priority, run_at");
  EXPECT_THAT(bad_input_of([&](pqxx::work& tx) {
                enqueue_many(tx, "letter", {"batch_id", "x\"; DROP TABLE y"}, {{"p", "s"}});
              }),
              HasSubstr("has no column 'x\"; DROP TABLE y'"));
}

TEST_F(enqueue_test, leaves_the_engines_columns_to_the_engine) {
  auto job = letter("a");
  job.columns["status"] = "processing";
  EXPECT_EQ(bad_job(job), "column status of kind letter is written by the engine only");
  job = letter("a");
  job.columns["priority"] = "1";
  EXPECT_EQ(bad_job(job), "set priority by the field of that name, not as a column");
}

TEST_F(enqueue_test, refuses_text_that_would_be_cut_or_refused) {
  EXPECT_EQ(bad_job(letter("a\0b"s)),
            "column recipient: NUL character at byte 1, which PostgreSQL cannot store in a text");
  EXPECT_EQ(bad_job(letter("\xC3")), "column recipient: broken UTF-8 at byte 0");
  EXPECT_EQ(bad_input_of([&](pqxx::work& tx) {
              enqueue_many(tx, "letter", {"batch_id", "recipient"}, {{"p", "ok"}, {"p", "\xFF"}});
            }),
            "row 2, column recipient: broken UTF-8 at byte 0");
}

TEST_F(enqueue_test, refuses_settings_out_of_range) {
  auto job = letter("a");
  job.priority = 40000;
  EXPECT_EQ(bad_job(job), "priority 40000 is not between -32768 and 32767");
  job = letter("a");
  job.max_attempts = 0;
  EXPECT_THAT(bad_job(job), HasSubstr("max_attempts 0 is not between 1 and"));
  job = letter("a");
  job.id = "7";
  EXPECT_EQ(bad_job(job), "id '7' is not a uuid");
  job = letter("a");
  job.delay = 1s;
  job.run_at = std::chrono::system_clock::now();
  EXPECT_EQ(bad_job(job), "a job has either a delay or a run_at, not both");
}

TEST_F(enqueue_test, many_keep_their_order_and_skip_what_exists) {
  commit(letter("b"));
  pqxx::work tx(db_.connection());
  const auto result =
      enqueue_many(tx, "letter", {"recipient", "batch_id", "max_attempts"},
                   {{"a", "p", "5"}, {"b", "p", "5"}, {"c", "p", "5"}, {"a", "p", "5"}});
  tx.commit();
  EXPECT_EQ(result.inserted, 2);
  EXPECT_EQ(result.skipped, 2);
  EXPECT_EQ(claim_names(db_), "b a c");
  EXPECT_EQ(db_.value("SELECT count(*) FROM letter_jobs WHERE max_attempts = 5"), "2");
}

TEST_F(enqueue_test, many_need_as_many_values_as_columns) {
  EXPECT_EQ(bad_input_of([&](pqxx::work& tx) {
              enqueue_many(tx, "letter", {"batch_id", "recipient"}, {{"p", "a"}, {"p"}});
            }),
            "row 2 has 1 values for 2 columns");
  EXPECT_EQ(bad_input_of([&](pqxx::work& tx) {
              enqueue_many(tx, "letter", {"batch_id", "batch_id"}, {{"p", "a"}});
            }),
            "column batch_id is named twice");
}

TEST_F(enqueue_test, ten_thousand_take_a_moment) {
  std::vector<std::vector<text_value>> rows;
  for (int i = 0; i < 12'345; ++i) rows.push_back({"p", "name " + std::to_string(i)});
  pqxx::work tx(db_.connection());
  const auto result = enqueue_many(tx, "letter", {"batch_id", "recipient"}, rows);
  tx.commit();
  EXPECT_EQ(result.inserted, 12'345);
  EXPECT_EQ(result.skipped, 0);
  EXPECT_EQ(lost_jobs(db_), "0 0");
  // Ids and queue entries follow the order of the rows.
  EXPECT_EQ(db_.value("SELECT count(*) FROM (SELECT id, lag(id) OVER (ORDER BY seq) AS before,"
                      " recipient, row_number() OVER (ORDER BY seq) - 1 AS n"
                      " FROM rowrunner.queue JOIN letter_jobs ON id = job_id) x"
                      " WHERE id <= before OR recipient <> 'name ' || n"),
            "0");
}

// More than one chunk, of which a later one has a row that exists and a row that comes twice: what
// was inserted as new stays, and the rest is inserted around them.
TEST_F(enqueue_test, many_that_are_not_all_new_lose_nothing) {
  ASSERT_TRUE(commit(letter("7000")));
  std::vector<std::vector<text_value>> rows;
  for (int i = 1; i <= 12'000; ++i) rows.push_back({"p", std::to_string(i)});
  rows.push_back({"p", "11999"});
  pqxx::work tx(db_.connection());
  const auto made = enqueue_many(tx, "letter", {"batch_id", "recipient"}, rows);
  EXPECT_EQ(made.inserted, 11'999);
  EXPECT_EQ(made.skipped, 2);
  tx.commit();
  EXPECT_EQ(count("letter_jobs"), "12000");
  EXPECT_EQ(count("rowrunner.queue"), "12000");
}

TEST_F(enqueue_test, many_that_break_another_rule_are_refused) {
  std::vector<std::vector<text_value>> rows(300, {"p", ""});
  pqxx::work tx(db_.connection());
  EXPECT_THROW(enqueue_many(tx, "letter", {"batch_id", "recipient"}, rows), pqxx::check_violation);
}

TEST_F(enqueue_test, knows_the_unique_key_where_there_is_one) {
  db_.exec(
      "CREATE TABLE other_jobs (LIKE letter_jobs INCLUDING ALL);"
      "SELECT rowrunner.attach('other_jobs', kind => 'other')");
  const auto key_of = [&] {
    pqxx::work tx(db_.connection());
    return find_job_table(tx, "other").unique_key;
  };
  EXPECT_EQ(key_of(), "batch_id, recipient");
  db_.exec("CREATE UNIQUE INDEX second ON other_jobs (created_at) WHERE recipient = 'x'");
  EXPECT_EQ(key_of(), "");
  db_.exec("DROP INDEX second, other_jobs_batch_id_recipient_idx");
  EXPECT_EQ(key_of(), "");
  db_.exec("CREATE UNIQUE INDEX ON other_jobs (lower(recipient))");
  EXPECT_EQ(key_of(), "");
  pqxx::work tx(db_.connection());
  EXPECT_TRUE(enqueue(tx, "other", letter("A")).has_value());
  EXPECT_FALSE(enqueue(tx, "other", letter("a")).has_value());
}

TEST_F(enqueue_test, an_id_that_is_taken_is_skipped_like_a_key_that_is) {
  const std::string id = "0190f0c0-0000-7000-8000-000000000001";
  const std::vector<std::string> columns{"id", "batch_id", "recipient"};
  pqxx::work tx(db_.connection());
  EXPECT_EQ(enqueue_many(tx, "letter", columns, {{id, "p", "a"}}).inserted, 1);
  EXPECT_EQ(enqueue_many(tx, "letter", columns, {{id, "p", "b"}}).skipped, 1);
  auto job = letter("c");
  job.id = id;
  EXPECT_FALSE(enqueue(tx, "letter", job).has_value());
}

TEST_F(enqueue_test, columns_of_any_type_come_through) {
  db_.exec(
      "CREATE TABLE odd_jobs (LIKE letter_jobs INCLUDING DEFAULTS INCLUDING CONSTRAINTS,"
      " PRIMARY KEY (id), \"Odd \"\"name\" varchar(3), numbers int[], doc jsonb, raw bytea, flag "
      "bool,"
      " code char(2), total int GENERATED ALWAYS AS (cardinality(numbers)) STORED);"
      "SELECT rowrunner.attach('odd_jobs', kind => 'odd')");
  const std::vector<std::string> columns{"batch_id", "recipient", "Odd \"name", "numbers",
                                         "doc",      "raw",       "flag",       "code"};
  const std::vector<text_value> row{"p",       "s",    "abc", "{1,NULL,3}", R"({"a": "x\"y"})",
                                    "\\x00ff", "true", "ab"};
  pqxx::work tx(db_.connection());
  EXPECT_EQ(enqueue_many(tx, "odd", columns, {row, {"p", "s2", {}, {}, {}, {}, {}, {}}}).inserted,
            2);
  new_job job;
  for (std::size_t c = 0; c < columns.size(); ++c) job.columns[columns[c]] = row[c];
  EXPECT_TRUE(enqueue(tx, "odd", job).has_value());
  tx.commit();
  EXPECT_EQ(db_.value("SELECT count(*) FROM odd_jobs WHERE \"Odd \"\"name\" = 'abc' AND numbers ="
                      " '{1,NULL,3}' AND doc->>'a' = 'x\"y' AND raw = '\\x00ff' AND flag AND"
                      " code = 'ab' AND total = 3"),
            "2");
  // What is too long is refused, not cut.
  pqxx::work again(db_.connection());
  EXPECT_THROW(
      enqueue_many(again, "odd", {"batch_id", "recipient", "Odd \"name"}, {{"p", "t", "abcd"}}),
      pqxx::sql_error);
}

TEST_F(enqueue_test, repeatable_read_may_have_to_start_again) {
  pqxx::connection other(db_.url());
  pqxx::transaction<pqxx::repeatable_read> tx(other);
  tx.exec("SELECT 1");  // the snapshot is taken here
  commit(letter("a"));
  try {
    enqueue(tx, "letter", letter("a"));
    ADD_FAILURE() << "the row that it cannot see was no conflict";
  } catch (const pqxx::serialization_failure&) {
  } catch (const pqxx::sql_error& error) {
    EXPECT_EQ(error.sqlstate(), "40001");
  }
}

TEST_F(enqueue_test, requeues_one_failed_job) {
  const auto id = insert_job(db_, "a", "status, attempts", "'failed', 3");
  pqxx::work tx(db_.connection());
  EXPECT_TRUE(requeue(tx, "letter", id));
  EXPECT_FALSE(requeue(tx, "letter", id));  // queued by now
  EXPECT_FALSE(requeue(tx, "letter", "00000000-0000-0000-0000-000000000000"));
  EXPECT_THROW(requeue(tx, "nope", id), bad_input);
  EXPECT_THROW(requeue(tx, "letter", "7"), bad_input);
  tx.commit();
  EXPECT_EQ(claim_names(db_), "a");
}

TEST_F(enqueue_test, requeues_failed_jobs_but_not_cancelled_ones) {
  for (const std::string name : {"a", "b", "c"}) {
    insert_job(db_, name, "status, last_error", "'failed', 'boom'");
  }
  const auto id = insert_job(db_, "d");
  db_.exec("SELECT rowrunner.cancel('letter', '" + id + "', 'not wanted')");
  EXPECT_EQ(count("rowrunner.failures"), "4");
  pqxx::work tx(db_.connection());
  EXPECT_EQ(requeue_failed(tx, "letter", 2), 2);
  EXPECT_EQ(requeue_failed(tx, "letter", 100), 1);
  EXPECT_EQ(requeue_failed(tx, "letter", 100), 0);
  EXPECT_THROW(requeue_failed(tx, "letter", -1), bad_input);
  tx.commit();
  EXPECT_EQ(claim_names(db_), "a b c");
}

TEST_F(enqueue_test, requeues_failed_jobs_behind_those_that_a_trigger_refuses) {
  for (const std::string name : {"a", "b", "c"}) {
    insert_job(db_, name, "status", "'failed'");
  }
  db_.exec(
      "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';"
      "CREATE TRIGGER refuse BEFORE UPDATE ON letter_jobs FOR EACH ROW"
      " WHEN (NEW.status = 'queued' AND OLD.recipient = 'a') EXECUTE FUNCTION refuse()");
  pqxx::work tx(db_.connection());
  EXPECT_EQ(requeue_failed(tx, "letter", 0), 0);
  EXPECT_EQ(requeue_failed(tx, "letter", 1), 1);
  tx.commit();
  EXPECT_EQ(claim_names(db_), "b");
}

TEST_F(enqueue_test, works_with_the_rights_of_an_application) {
  pqxx::work tx(db_.connection());
  tx.exec("SET LOCAL ROLE rowrunner_app");
  const auto id = enqueue(tx, "letter", letter("a"));
  EXPECT_EQ(enqueue_many(tx, "letter", {"batch_id", "recipient"}, {{"p", "b"}}).inserted, 1);
  EXPECT_FALSE(requeue(tx, "letter", id.value()));
  EXPECT_THROW(enqueue(tx, "nope", letter("a")), bad_input);
}

}  // namespace
}  // namespace rowrunner::testing
