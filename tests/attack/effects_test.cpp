// Effects and triggers that raise what a server says when it goes away, or that would end the
// transaction which they share with other jobs: each costs its own job the attempt and nobody else.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/two_kinds.hpp"

namespace rowrunner::testing {
namespace {

namespace asio = boost::asio;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// The name of a job of the kind `other` is the SQL of its effect.
outcome effect_of(job& self) { return succeeded{{{self.text("name"), {}}}}; }

asio::awaitable<outcome> end_with_effect(job& self) { co_return effect_of(self); }

asio::awaitable<outcome> step_with_effect(job& self) {
  std::function<asio::awaitable<step_result>()> body = [&]() -> asio::awaitable<step_result> {
    std::vector<effect> effects(1, effect{self.text("name"), {}});
    co_return step_result(nlohmann::json(1), std::move(effects));
  };
  co_await self.step("only", std::move(body));
  co_return succeeded{};
}

std::string raise(const std::string& sqlstate) {
  return "DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '" + sqlstate + "'; END $$";
}

class poisoned : public ::testing::Test {
 protected:
  void add_other(const std::string& sql) {
    pqxx::work tx(db.connection());
    tx.exec("INSERT INTO other_jobs (name, max_attempts) VALUES (" + tx.quote(sql) + ", 1)");
    tx.commit();
    ++others;
  }
  worker_thread serve(asio::awaitable<outcome> (*handler)(job&)) {
    return worker_thread(worker_thread::options_for(db), [&](worker& w) {
      w.add(test_kind(), run_test_job);
      auto other = test_kind();
      other.kind = "other";
      w.add(other, handler);
    });
  }
  /// Every effect fails its job, and jobs that come later end.
  void expect_that_others_end() {
    EXPECT_TRUE(db.becomes("SELECT count(*) FROM other_jobs WHERE status = 'failed'",
                           std::to_string(others)))
        << db.value("SELECT string_agg(name || ': ' || status, ', ') FROM other_jobs");
    db.add("late");
    EXPECT_TRUE(db.reaches("late", "succeeded"));
    EXPECT_TRUE(db.reaches("early", "succeeded"));
    EXPECT_EQ(db.value("SELECT sum(attempts) FROM test_jobs"), "0");
    EXPECT_THAT(db.violations(), IsEmpty());
  }

  two_kinds db;
  int others = 0;
};

const std::vector<std::string> poison{"ROLLBACK",
                                      "COMMIT",
                                      "/* ; */ -- \n End",
                                      "ABORT",
                                      "BEGIN",
                                      "PREPARE TRANSACTION 'limbo'",
                                      "COPY effects FROM STDIN",
                                      "EXECUTE nothing",
                                      raise("08006"),
                                      raise("08001"),
                                      raise("57P01"),
                                      raise("53300"),
                                      raise("25006"),
                                      raise("42P05")};

TEST_F(poisoned, effects_of_ends_cost_only_their_own_job_the_attempt) {
  for (const auto& sql : poison) add_other(sql);
  db.add("early");
  auto both = serve(end_with_effect);
  expect_that_others_end();
  EXPECT_THAT(db.value("SELECT last_error FROM other_jobs WHERE name = 'COMMIT'"),
              HasSubstr("an effect cannot begin or end a transaction"));
}

TEST_F(poisoned, effects_of_steps_cost_only_their_own_job_the_attempt) {
  for (const auto& sql : poison) add_other(sql);
  db.add("early");
  auto both = serve(step_with_effect);
  expect_that_others_end();
  EXPECT_EQ(db.value("SELECT count(*) FROM rowrunner.steps"), "0");
}

// As of a trigger that writes to another server which is away.
TEST_F(poisoned, the_end_of_a_job_whose_trigger_names_a_lost_connection_stops_no_other) {
  db.exec(
      "CREATE FUNCTION audit() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
      " IF NEW.status = 'succeeded' THEN RAISE EXCEPTION USING ERRCODE = '08006'; END IF;"
      " RETURN NEW; END $$;"
      "CREATE TRIGGER audit BEFORE UPDATE ON other_jobs FOR EACH ROW EXECUTE FUNCTION audit()");
  add_other("SELECT 1");
  db.add("early");
  auto both = serve(end_with_effect);
  expect_that_others_end();
}

}  // namespace
}  // namespace rowrunner::testing
