// rowrunner.claim_errors names jobs that claims cannot take, and no others.

#include <gtest/gtest.h>

#include <future>

#include "common/pg/error.hpp"
#include "common/pg/exec.hpp"
#include "common/schema/kind_info.hpp"
#include "queries/engine.hpp"
#include "support/jobs_database.hpp"

namespace rowrunner::testing {
namespace {

class claim_errors : public ::testing::Test {
 protected:
  /// The claim of a worker, which waits for rows as long as it takes; the number of jobs taken.
  int claim() {
    pqxx::connection connection(db_.url());
    pqxx::work tx(connection);
    kind_info kind;
    kind.table = "public.test_jobs";
    const auto answer = pg::exec(tx, kind.bind(queries::claim), kind_, -32768,
                                 std::numeric_limits<std::int64_t>::min(), 10, 1, "w", 10'000);
    tx.commit();
    return answer[0]["id"].is_null() ? 0 : static_cast<int>(answer.size());
  }

  /// Runs a claim that meets the row while another session changes it with `statement`, and ends
  /// after that session has committed. The number of jobs taken.
  int claim_during(const std::string& statement) {
    pqxx::connection other(db_.url());
    pqxx::work tx(other);
    tx.exec(statement);
    auto taken = std::async(std::launch::async, [this] { return claim(); });
    const bool waits = db_.becomes(
        "SELECT count(*) FROM pg_stat_activity"
        " WHERE datname = current_database() AND wait_event_type = 'Lock'",
        "1");
    tx.commit();
    EXPECT_TRUE(waits) << "the claim did not wait for the row";
    return taken.get();
  }

  /// Errors that are noted, entries that wait because of one, entries in the queue.
  std::string traces() {
    return db_.value(
        "SELECT (SELECT count(*) FROM rowrunner.claim_errors) || ' ' ||"
        " (SELECT count(*) FROM rowrunner.delayed) || ' ' || (SELECT count(*) FROM "
        "rowrunner.queue)");
  }

  jobs_database db_;
  const int kind_ = std::stoi(db_.value("SELECT id FROM rowrunner.kinds WHERE kind = 'test'"));
};

TEST_F(claim_errors, do_not_name_a_job_that_is_cancelled_while_a_claim_waits_for_it) {
  const auto id = db_.add("a");
  EXPECT_EQ(claim_during("SELECT rowrunner.cancel('test', '" + id + "')"), 0);
  EXPECT_EQ(db_.status("a"), "cancelled");
  EXPECT_EQ(traces(), "0 0 0");
}

TEST_F(claim_errors, do_not_name_a_job_that_is_deleted_while_a_claim_waits_for_it) {
  const auto id = db_.add("a");
  EXPECT_EQ(claim_during("DELETE FROM test_jobs WHERE id = '" + id + "'"), 0);
  EXPECT_EQ(traces(), "0 0 0");
}

TEST_F(claim_errors, do_not_name_a_job_that_another_session_takes_while_a_claim_waits_for_it) {
  const auto id = db_.add("a");
  EXPECT_EQ(claim_during("UPDATE test_jobs SET status = 'succeeded' WHERE id = '" + id + "'"), 0);
  EXPECT_EQ(traces(), "0 0 0");
}

TEST_F(claim_errors, name_a_job_whose_update_is_suppressed) {
  db_.add("a");
  db_.exec(
      "CREATE FUNCTION public.suppress() RETURNS trigger LANGUAGE plpgsql AS"
      "  $$ BEGIN RETURN NULL; END $$;"
      "CREATE TRIGGER obstacle BEFORE UPDATE ON public.test_jobs FOR EACH ROW"
      "  EXECUTE FUNCTION public.suppress()");
  EXPECT_EQ(claim(), 0);
  EXPECT_EQ(traces(), "1 1 0");
}

// pg::classify decides for whole transactions, rowrunner.concerns_one_row for the rows of one.
TEST_F(claim_errors, what_is_the_connections_trouble_is_no_rows_trouble) {
  for (const std::string state : {"57P01", "57P02", "57P03", "53300", "25006", "26000", "42P05",
                                  "53100", "53200", "0A000", "40001"}) {
    EXPECT_NE(pg::classify(state), pg::error_class::permanent) << state;
    EXPECT_EQ(db_.value("SELECT rowrunner.concerns_one_row('" + state + "')"), "f") << state;
  }
  // Inside of the database it is the connection of a trigger to another server.
  EXPECT_EQ(db_.value("SELECT rowrunner.concerns_one_row('08006')"), "t");
  for (const std::string state : {"22003", "23505", "23514", "P0001"}) {
    EXPECT_EQ(pg::classify(state), pg::error_class::permanent) << state;
    EXPECT_EQ(db_.value("SELECT rowrunner.concerns_one_row('" + state + "')"), "t") << state;
  }
}

}  // namespace
}  // namespace rowrunner::testing
