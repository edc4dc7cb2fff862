// The finisher alone, with verdicts that a worker comes to only by rare accidents.

#include "worker/finish.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>

#include "support/jobs_database.hpp"
#include "support/pooler.hpp"
#include "support/test_handler.hpp"
#include "worker/lane.hpp"

namespace rowrunner::testing {
namespace {

using ::testing::IsEmpty;
using namespace std::chrono_literals;

class finish : public ::testing::Test {
 protected:
  finish() {
    const auto place = endpoint_for_workers(db.url());
    settings_.url = place.url;
    settings_.pooled = place.pooled;
    session_ = std::make_unique<pg::session>(io.get_executor(), settings_);
    auto& served = *lanes.front();
    served.kind.id = std::stoi(db.value("SELECT id FROM rowrunner.kinds WHERE kind = 'test'"));
    served.kind.kind = "test";
    served.kind.table = "public.test_jobs";
    served.kind.cancelled_status = "cancelled";
    served.sql = kind_statements(served.kind, {});
    finish_ = std::make_unique<finisher>(io, *session_, leases, lanes, changed, log, "me");
  }

  /// The one job there is, claimed by the SQL function; gives its lease.
  std::int64_t claim() {
    return std::stoll(db.value("SELECT rowrunner.claim('test', 'me', 1) ->> 'lease'"));
  }
  verdict of(const std::string& id, std::int64_t lease, ending result) {
    auto job = std::make_shared<running_job>();
    job->lane = lanes.front().get();
    job->id = id;
    job->lease = lease;
    leases.open(lease, 1, lease_book::clock::now(), 10s);
    return {job, std::move(result)};
  }
  void write_all() {
    boost::asio::co_spawn(io, finish_->run(), boost::asio::detached);
    finish_->close();
    io.run();
  }
  /// So many jobs a1, a2, …, claimed under one lease and ended well.
  void end_many(int jobs) {
    db.exec("INSERT INTO test_jobs (name) SELECT 'a' || n FROM generate_series(1, " +
            std::to_string(jobs) + ") n");
    const auto claimed = db.rows(
        "SELECT j ->> 'id', j ->> 'lease' FROM rowrunner.claim('test',"
        " 'me', " +
        std::to_string(jobs) + ") j");
    ASSERT_EQ(claimed.size(), jobs);
    leases.open(claimed[0][1].as<std::int64_t>(), static_cast<std::size_t>(jobs),
                lease_book::clock::now(), 10s);
    for (const auto& row : claimed) {
      finish_->add(of(row[0].as<std::string>(), row[1].as<std::int64_t>(), succeeded{}));
    }
  }
  std::string transactions() {
    return db.value("SELECT count(DISTINCT xmin::text) FROM test_jobs WHERE status = 'succeeded'");
  }
  static lane_list one_lane() {
    lane_list list;
    list.push_back(std::make_unique<lane>(test_kind()));
    return list;
  }
  const worker_counts& total() const { return lanes.front()->counts.total(); }
  static ending success(const std::string& name) {
    succeeded end;
    end.effects.push_back({"INSERT INTO effects (name) VALUES ($1)", {name}});
    return end;
  }

  jobs_database db;
  boost::asio::io_context io;
  logger log{log_level::off};
  lease_book leases;
  changes changed{io.get_executor()};
  lane_list lanes = one_lane();
  std::unique_ptr<finisher> finish_;

 private:
  pg::settings settings_;
  std::unique_ptr<pg::session> session_;
};

// After a crash of the server lost a claim, the worker may claim the job again and finish both runs
// at once. Only the one under the current lease counts, and only its effect.
TEST_F(finish, the_same_job_under_two_leases_counts_once) {
  const auto id = db.add("a");
  const auto lease = claim();
  finish_->add(of(id, 12345, success("a")));
  finish_->add(of(id, lease, success("a")));
  write_all();
  EXPECT_EQ(db.status("a"), "succeeded");
  EXPECT_EQ(total().succeeded, 1);
  EXPECT_EQ(total().refused, 1);
  EXPECT_THAT(db.violations(), IsEmpty());
}

TEST_F(finish, while_jobs_are_about_to_be_run_an_outcome_waits_for_others) {
  const auto a = db.add("a");
  const auto b = db.add("b");
  const auto lease_a = claim();
  const auto lease_b = claim();
  // A claim was answered, and its jobs are about to be run.
  auto& jobs = lanes.front()->jobs;
  jobs.claimed(1, lane_jobs::clock::now());
  finish_->add(of(a, lease_a, succeeded{}));
  boost::asio::co_spawn(io, finish_->run(), boost::asio::detached);
  boost::asio::post(io, [&] {
    finish_->add(of(b, lease_b, succeeded{}));
    jobs.add({}, 1, lane_jobs::clock::now());
    finish_->close();
  });
  io.run();
  EXPECT_EQ(db.value("SELECT count(*) || ' in ' || count(DISTINCT xmin::text) FROM test_jobs"
                     " WHERE status = 'succeeded'"),
            "2 in 1");
}

TEST_F(finish, every_outcome_is_refused_under_a_lease_that_is_not_the_jobs) {
  const auto id = db.add("a");
  claim();
  const ending endings[] = {
      succeeded{}, failed{"x", {}, false}, snoozed{0ms}, cancelled{"x"}, released{}, success("a")};
  std::int64_t stale = 1;
  for (const auto& each : endings) finish_->add(of(id, stale++, each));
  write_all();
  EXPECT_EQ(total().refused, 6);
  EXPECT_EQ(db.value("SELECT status || attempts FROM test_jobs"), "processing0");
  EXPECT_EQ(db.value("SELECT count(*) FROM effects"), "0");
  EXPECT_EQ(db.value("SELECT count(*) FROM rowrunner.attempts"), "0");
}

// The connection breaks while the effects are written: what became of the end is read, not guessed.
TEST_F(finish, an_end_that_was_cut_off_before_its_commit_is_written_again) {
  const auto id = db.add("a");
  const auto lease = claim();
  db.exec("CREATE SEQUENCE cuts");
  succeeded end = std::get<succeeded>(success("a"));
  end.effects.push_back(
      {"SELECT pg_terminate_backend(pg_backend_pid()) WHERE nextval('cuts') = 1", {}});
  finish_->add(of(id, lease, end));
  write_all();
  EXPECT_EQ(db.value("SELECT last_value FROM cuts"), "2");
  EXPECT_EQ(db.value("SELECT status || attempts FROM test_jobs"), "succeeded0");
  EXPECT_EQ(total().succeeded, 1);
  EXPECT_EQ(total().refused, 0);
  EXPECT_THAT(db.violations(), IsEmpty());
}

// Nineteen hundred and ninety-nine commits would be waited for one after the other.
TEST_F(finish, one_locked_row_costs_its_batch_a_dozen_transactions) {
  end_many(2000);
  pqxx::connection other(db.url());
  pqxx::work tx(other);
  tx.exec("SELECT FROM test_jobs WHERE name = 'a1234' FOR UPDATE");
  boost::asio::co_spawn(io, finish_->run(), boost::asio::detached);
  while (total().succeeded < 1999) io.run_one();
  EXPECT_LE(std::stoi(transactions()), 12);
  EXPECT_EQ(finish_->pending(), 1U);
  EXPECT_EQ(db.status("a1234"), "processing");
  EXPECT_FALSE(leases.empty());
  tx.commit();
  while (total().succeeded < 2000) io.run_one();
  EXPECT_TRUE(leases.empty());
  EXPECT_EQ(db.value("SELECT sum(attempts) FROM test_jobs"), "0");
  EXPECT_EQ(db.value("SELECT count(*) FROM rowrunner.leases"), "0");
}

TEST_F(finish, a_row_that_its_table_refuses_is_kept_apart_until_it_can_be_written) {
  end_many(300);
  db.exec("ALTER TABLE test_jobs ADD CHECK (name <> 'a77') NOT VALID");
  boost::asio::co_spawn(io, finish_->run(), boost::asio::detached);
  while (total().succeeded < 299) io.run_one();
  EXPECT_LE(std::stoi(transactions()), 10);
  EXPECT_EQ(db.status("a77"), "processing");
  EXPECT_FALSE(leases.empty()) << "the lease is kept while the end is tried again";
  db.exec("ALTER TABLE test_jobs DROP CONSTRAINT test_jobs_name_check");
  while (total().succeeded < 300) io.run_one();
  EXPECT_EQ(db.value("SELECT sum(attempts) FROM test_jobs"), "0");
}

TEST_F(finish, a_row_that_is_refused_for_good_is_left_to_the_rescue) {
  end_many(3);
  const auto lease = std::stoll(db.value("SELECT DISTINCT lease FROM test_jobs"));
  db.exec("ALTER TABLE test_jobs ADD CHECK (name <> 'a2') NOT VALID");
  write_all();
  EXPECT_EQ(total().succeeded, 2);
  EXPECT_FALSE(leases.holds(lease));
  EXPECT_EQ(db.value("SELECT count(*) FROM rowrunner.leases"), "1");
  EXPECT_EQ(db.value("SELECT status || attempts FROM test_jobs WHERE name = 'a2'"), "processing0");
}

TEST_F(finish, an_effect_that_is_refused_costs_only_its_own_job_the_attempt) {
  for (int i = 0; i < 50; ++i) {
    const auto name = "b" + std::to_string(i);
    const auto id = db.add(name);
    finish_->add(
        of(id, claim(),
           i == 20 ? succeeded{{{"INSERT INTO effects VALUES (NULL)", {}}}} : success(name)));
  }
  write_all();
  EXPECT_EQ(total().succeeded, 49);
  EXPECT_EQ(total().retried, 1);
  EXPECT_THAT(db.value("SELECT last_error FROM test_jobs WHERE attempts = 1"),
              ::testing::StartsWith("the outcome was refused by the database: "));
  EXPECT_THAT(db.violations(), IsEmpty());
}

TEST_F(finish, an_error_text_that_cannot_be_stored_is_made_storable) {
  const auto id = db.add("a", "ok", 0, 0, 1);
  const auto lease = claim();
  finish_->add(of(id, lease, failed{std::string("bad \0 and \xff", 11), {}, false}));
  write_all();
  EXPECT_EQ(db.value("SELECT last_error FROM test_jobs"), "bad \uFFFD and \uFFFD");
}

TEST_F(finish, a_failure_of_a_job_whose_cancel_was_requested_ends_it) {
  const auto id = db.add("a");
  const auto lease = claim();
  db.exec("SELECT rowrunner.cancel('test', '" + id + "', 'why not')");
  finish_->add(of(id, lease, failed{"x", {}, false}));
  write_all();
  EXPECT_EQ(db.value("SELECT status || ' ' || last_error FROM test_jobs"),
            "cancelled cancelled: why not");
}

}  // namespace
}  // namespace rowrunner::testing
