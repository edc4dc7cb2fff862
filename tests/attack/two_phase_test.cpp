// Jobs that are enqueued by transactions which are prepared: PREPARE TRANSACTION refuses a NOTIFY.
#include <gtest/gtest.h>

#include <cstdlib>

#include "support/own_server.hpp"
#include "support/worker_thread.hpp"

namespace rowrunner::testing {
namespace {

class two_phase : public ::testing::Test {
 protected:
  two_phase() {
    setenv("ROWRUNNER_TEST_URL", server_.url().c_str(), 1);
    db_ = std::make_unique<jobs_database>();
    server_.set("max_prepared_transactions", "2");
    server_.crash();
    server_.start();
    db_->come_back();
  }
  ~two_phase() override { unsetenv("ROWRUNNER_TEST_URL"); }

  /// As a worker does before it sleeps.
  void arm() {
    db_->exec(
        "SELECT setval(wakeup, (extract(epoch FROM clock_timestamp()) * 1000)::bigint + 60000)"
        " FROM rowrunner.kinds WHERE kind = 'test'");
  }
  static constexpr auto armed_query =
      "SELECT pg_sequence_last_value(wakeup) > 1 FROM rowrunner.kinds WHERE kind = 'test'";
  std::string armed() { return db_->value(armed_query); }
  void prepared(const std::string& sql) {
    pqxx::connection other(db_->url());
    pqxx::nontransaction tx(other);
    tx.exec("BEGIN");
    tx.exec(sql);
    tx.exec("PREPARE TRANSACTION 'both'");
    tx.exec("COMMIT PREPARED 'both'");
  }

  own_server server_;
  std::unique_ptr<jobs_database> db_;
};

TEST_F(two_phase, enqueues_and_requeues_while_a_worker_sleeps) {
  // It notifies too.
  db_->exec("DROP TRIGGER note_change ON public.test_jobs");
  arm();
  prepared("INSERT INTO public.test_jobs (name, status) VALUES ('a', 'failed'), ('b', 'queued')");
  EXPECT_EQ(armed(), "t");  // for the next enqueue
  prepared("SELECT rowrunner.requeue('test', id) FROM public.test_jobs WHERE name = 'a'");
  EXPECT_EQ(armed(), "t");
  EXPECT_EQ(db_->value("SELECT string_agg(c->>'name', ' ' ORDER BY c->>'name')"
                       " FROM rowrunner.claim('test', 'w', 9) c"),
            "a b");

  // An ordinary enqueue wakes as ever.
  pqxx::connection listening(db_->url());
  pqxx::nontransaction(listening).exec("LISTEN rowrunner");
  for (const std::string name : {"c", "d"}) {
    arm();
    db_->add(name);
    EXPECT_EQ(armed(), "f");
    EXPECT_EQ(listening.await_notification(30, 0), 1);
  }
  EXPECT_EQ(db_->value("SELECT count(*) FROM rowrunner.wakeups"), "0");
}

TEST_F(two_phase, a_sleeping_worker_finds_the_job) {
  worker_thread one(*db_);
  ASSERT_TRUE(db_->becomes(armed_query, "t"));
  prepared("INSERT INTO public.test_jobs (name) VALUES ('a')");
  EXPECT_TRUE(db_->reaches("a", "succeeded"));
  one.stop();
}

}  // namespace
}  // namespace rowrunner::testing
