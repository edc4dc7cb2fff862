// Requests to cancel a job whose end runs in a transaction with an older snapshot.
#include <gtest/gtest.h>

#include "support/jobs_database.hpp"

namespace rowrunner::testing {
namespace {

class older_snapshot : public ::testing::TestWithParam<const char*> {
 protected:
  using repeatable_read = pqxx::transaction<pqxx::isolation_level::repeatable_read>;

  std::string end(pqxx::transaction_base& tx) {
    const auto answer =
        tx.exec(std::string("SELECT rowrunner.") + GetParam() + "('test', id, " + lease_ +
                (std::string(GetParam()) == "fail" ? ", 'no'" : "") + ")::text FROM test_jobs");
    return answer[0][0].c_str();
  }

  jobs_database db_;
  std::string lease_;
};

TEST_P(older_snapshot, does_not_lose_a_request_to_cancel) {
  const auto id = db_.add("a");
  lease_ = db_.value("SELECT rowrunner.claim('test', 'w') ->> 'lease'");
  pqxx::connection other(db_.url());
  {
    repeatable_read tx(other);
    tx.exec("SELECT count(*) FROM test_jobs");
    EXPECT_EQ(db_.value("SELECT rowrunner.cancel('test', '" + id + "', 'no use')"), "requested");
    EXPECT_THROW(end(tx), pqxx::serialization_failure);
  }
  repeatable_read again(other);
  end(again);
  again.commit();
  EXPECT_EQ(db_.value("SELECT status || ' ' || last_error FROM test_jobs"),
            "cancelled cancelled: no use");
}

INSTANTIATE_TEST_SUITE_P(ends, older_snapshot, ::testing::Values("fail", "release"),
                         [](const auto& tested) { return std::string(tested.param); });

}  // namespace
}  // namespace rowrunner::testing
