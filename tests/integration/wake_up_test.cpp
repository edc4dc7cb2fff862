// How a sleeping worker hears of a job, and what an enqueue pays for it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <libpq-fe.h>
#include <poll.h>

#include "common/pg/exec.hpp"
#include "support/two_kinds.hpp"
#include "support/worker_thread.hpp"
#include "worker/lane.hpp"

namespace rowrunner::testing {
namespace {

using ::testing::IsEmpty;
using namespace std::chrono_literals;

constexpr const char* armed =
    "SELECT coalesce(pg_sequence_last_value(wakeup), 0) > extract(epoch FROM clock_timestamp()) * "
    "1000"
    " FROM rowrunner.kinds WHERE kind = 'test'";

/// Hears what the engine notifies. Of libpq: the classes of libpqxx 6 and 7 for this differ.
class listener {
 public:
  explicit listener(const std::string& url) : raw_(PQconnectdb(url.c_str()), PQfinish) {
    PQclear(PQexec(raw_.get(), "LISTEN rowrunner"));
  }

  /// The payloads that have come, when there is at least one or ten seconds are over.
  std::vector<std::string> hear() {
    std::vector<std::string> out;
    pollfd readable{PQsocket(raw_.get()), POLLIN, 0};
    while (out.empty() && poll(&readable, 1, 10'000) == 1 && PQconsumeInput(raw_.get()) == 1) {
      while (PGnotify* one = PQnotifies(raw_.get())) {
        out.emplace_back(one->extra);
        PQfreemem(one);
      }
    }
    return out;
  }

 private:
  std::unique_ptr<PGconn, void (*)(PGconn*)> raw_;
};

TEST(wake_up, an_enqueue_does_not_notify_while_no_worker_sleeps) {
  jobs_database db;
  listener ears(db.url());
  db.add("a");
  // Notifications come in the order of commits, so this one proves that there was none before it.
  db.exec("NOTIFY rowrunner, 'last'");
  EXPECT_THAT(ears.hear(), ::testing::ElementsAre("last"));
}

TEST(wake_up, the_first_enqueue_wakes_a_sleeping_worker_and_disarms_the_flag) {
  jobs_database db;
  worker_thread one(db);
  ASSERT_TRUE(db.becomes(armed, "t"));
  listener ears(db.url());
  db.add("a");
  EXPECT_THAT(ears.hear(), ::testing::ElementsAre("test"));
  EXPECT_TRUE(db.reaches("a", "succeeded"));
  EXPECT_TRUE(db.becomes(armed, "t"));  // it sleeps again
}

TEST(wake_up, a_flag_that_a_rolled_back_enqueue_disarmed_is_armed_again_by_polling) {
  jobs_database db;
  worker_thread one(db);
  ASSERT_TRUE(db.becomes(armed, "t"));
  {
    pqxx::work tx(db.connection());
    tx.exec("INSERT INTO test_jobs (name) VALUES ('never')");
    tx.abort();
  }
  EXPECT_EQ(db.value(armed), "f");
  EXPECT_TRUE(db.becomes(armed, "t"));
}

TEST(wake_up, a_lost_notification_costs_one_poll) {
  jobs_database db;
  worker_thread one(db);
  ASSERT_TRUE(db.becomes(armed, "t"));
  // Disarmed behind the worker's back: the enqueue will not notify.
  db.exec("SELECT setval(wakeup, 1) FROM rowrunner.kinds");
  db.add("a");
  EXPECT_TRUE(db.becomes("SELECT status FROM test_jobs", "succeeded", 5s));
}

TEST(wake_up, what_a_look_finds_is_claimed_without_waiting_for_the_next_look) {
  jobs_database db;
  auto options = worker_thread::options_for(db);
  options.poll_min = options.poll_max = 1h;
  worker_thread one(options, [&](worker& w) { w.add(test_kind(), run_test_job); });
  ASSERT_TRUE(db.becomes(armed, "t"));
  // The worker hears of it, finds that it is not due, and looks again when it is.
  db.exec("INSERT INTO test_jobs (name, run_at) VALUES ('a', now() + interval '200 ms')");
  EXPECT_TRUE(db.reaches("a", "succeeded"));
}

using handler = boost::asio::awaitable<outcome> (*)(job&);

/// A worker of both kinds that polls so often and runs so many jobs of each at a time.
worker_thread serve_both(const test_database& db, std::chrono::milliseconds poll, int slots,
                         handler run) {
  auto options = worker_thread::options_for(db);
  options.poll_min = options.poll_max = poll;
  options.shutdown_grace = 1500ms;  // all of it to give back what runs
  return worker_thread(options, [=](worker& w) {
    auto kind = test_kind();
    kind.max_concurrent = slots;
    w.add(kind, run);
    kind.kind = "other";
    w.add(kind, run);
  });
}

TEST(wake_up, a_worker_that_always_finds_jobs_of_one_kind_hears_of_another_one) {
  two_kinds db;
  // Enqueued by the first of many ends, so that it comes while the others are being claimed.
  db.exec(
      "CREATE FUNCTION add_other() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN"
      " INSERT INTO public.other_jobs (name) VALUES ('other'); RETURN NULL; END$$;"
      "CREATE TRIGGER add_other AFTER UPDATE ON test_jobs FOR EACH ROW"
      " WHEN (NEW.name = 'a1' AND NEW.status = 'succeeded') EXECUTE FUNCTION add_other()");
  const auto one = serve_both(
      db, 1h, 10, [](job&) -> boost::asio::awaitable<outcome> { co_return succeeded{}; });
  ASSERT_TRUE(db.becomes(armed, "t"));
  db.exec("INSERT INTO test_jobs (name) SELECT 'a' || n FROM generate_series(1, 20000) n");
  ASSERT_TRUE(db.becomes("SELECT count(*) FROM test_jobs WHERE status = 'succeeded'", "20000"));
  ASSERT_TRUE(db.others_succeed(1));
  EXPECT_EQ(db.value("SELECT o.locked_at < (SELECT max(j.locked_at) FROM test_jobs j)"
                     " FROM other_jobs o"),
            "t")
      << "it was found when nothing else was left to claim";
}

TEST(wake_up, a_kind_that_is_being_claimed_is_not_armed_because_another_one_sleeps) {
  two_kinds db;
  const auto one = serve_both(db, 50ms, 1, run_test_job);
  ASSERT_TRUE(db.becomes(armed, "t"));
  db.add("a", "ok", 60'000);
  ASSERT_TRUE(db.reaches("a", "processing"));
  // The other kind wakes and sleeps again, and its flag is armed, twice.
  for (const char* name : {"b", "c"}) {
    db.exec("INSERT INTO other_jobs (name) VALUES ('" + std::string(name) + "')");
    ASSERT_TRUE(db.becomes("SELECT status FROM other_jobs WHERE name = '" + std::string(name) + "'",
                           "succeeded"));
    ASSERT_TRUE(
        db.becomes("SELECT pg_sequence_last_value(wakeup) > 1 FROM rowrunner.kinds"
                   " WHERE kind = 'other'",
                   "t"));
  }
  EXPECT_EQ(db.value(armed), "f");
}

TEST(wake_up, behind_a_pooler_jobs_are_found_by_polling_alone) {
  jobs_database db;
  auto options = worker_thread::options_for(db);
  options.pooled = true;
  worker_thread one(options, [&](worker& w) { w.add(test_kind(), run_test_job); });
  ASSERT_TRUE(db.becomes("SELECT count(*) FROM rowrunner.workers", "1"));
  db.add("a");
  EXPECT_TRUE(db.reaches("a", "succeeded"));
  EXPECT_EQ(db.value(armed), "f");
  EXPECT_EQ(db.value("SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND "
                     "application_name LIKE 'rowrunner %'"
                     " AND datname = current_database()"),
            "0");
}

TEST(wake_up, a_claim_whose_answer_was_lost_is_released_uncharged) {
  jobs_database db;
  db.add("a");
  const auto lease = db.value("SELECT rowrunner.claim('test', 'me', 1) ->> 'lease'");
  kind_info kind;
  kind.kind = "test";
  kind.table = "public.test_jobs";
  const kind_statements sql(kind, {});
  pqxx::work tx(db.connection());
  const auto back = pg::exec(tx, sql.abandon.text, lease);
  const auto again = pg::exec(tx, sql.abandon.text, lease);
  tx.commit();
  EXPECT_EQ(back.size(), 1U);
  EXPECT_EQ(again.size(), 0U);
  EXPECT_EQ(db.value("SELECT status || attempts FROM test_jobs"), "queued0");
  EXPECT_EQ(db.value("SELECT count(*) FROM rowrunner.leases"), "0");
  EXPECT_THAT(db.violations(), IsEmpty());
}

}  // namespace
}  // namespace rowrunner::testing
