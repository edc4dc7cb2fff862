// What handlers are given when they are made: statements of their own, the log, the executor.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <rowrunner/run_worker.hpp>
#include <set>

#include "support/log_lines.hpp"
#include "support/worker_thread.hpp"

namespace rowrunner::testing {
namespace {

using boost::asio::awaitable;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

worker_options draining(const test_database& db) {
  auto options = worker_thread::options_for(db);
  options.drain = true;
  return options;
}

/// Runs what the handler does, as one job.
std::string run_job(jobs_database& db, const worker_options& options,
                    const std::function<awaitable<outcome>(services&, job&)>& body) {
  db.add("a", "ok", 0, 0, 1);
  worker_thread one(options, [&](worker& w) {
    auto& all = w.handler_services();
    w.add(test_kind(), [&all, body](job& self) { return body(all, self); });
  });
  one.join();
  return db.value("SELECT concat_ws(' ', status, last_error) FROM test_jobs");
}

TEST(services, a_statement_gives_its_rows_as_text) {
  jobs_database db;
  query_result read;
  query_result written;
  const auto body = [&](services& all, job& self) -> awaitable<outcome> {
    read = co_await all.query("SELECT $1::int + 1, NULL, $2", std::to_string(41), std::nullopt);
    query_params params{self.id()};
    written = co_await all.query("UPDATE public.test_jobs SET name = 'b' WHERE id = $1", params);
    co_return succeeded{};
  };
  EXPECT_EQ(run_job(db, draining(db), body), "succeeded");
  ASSERT_EQ(read.rows.size(), 1U);
  EXPECT_THAT(read.rows[0], ElementsAre("42", std::nullopt, std::nullopt));
  EXPECT_EQ(written.affected, 1);
  EXPECT_EQ(db.value("SELECT name FROM test_jobs"), "b");
}

TEST(services, a_statement_that_the_server_refuses_says_why) {
  jobs_database db;
  std::string state;
  const auto body = [&](services& all, job& self) -> awaitable<outcome> {
    try {
      co_await all.idempotent_query(self, "SELECT 1 / 0");
    } catch (const database_error& e) {
      state = e.sqlstate + (e.temporary ? " temporary" : " permanent");
    }
    co_await all.query("SELECT nothing");
    co_return succeeded{};
  };
  EXPECT_THAT(run_job(db, draining(db), body), HasSubstr("column \"nothing\" does not exist"));
  EXPECT_EQ(state, "22012 permanent");
}

/// Twelve jobs at the same time, each with one statement.
class many_callers {
 public:
  explicit many_callers(int connections) {
    db_.exec("CREATE SEQUENCE public.turns");
    db_.exec("INSERT INTO test_jobs (name) SELECT 'n' || i FROM generate_series(1, 12) i");
    auto kind = test_kind();
    kind.max_concurrent = 12;
    auto options = draining(db_);
    options.handler_connections = connections;
    worker_thread one(options, [&](worker& w) {
      auto& all = w.handler_services();
      w.add(kind, [this, &all](job&) { return ask(all); });
    });
    EXPECT_EQ(one.join().succeeded, 12);
  }

  /// In the order in which they asked.
  std::vector<std::int64_t> turns{};
  std::set<std::string> sessions{};

 private:
  awaitable<outcome> ask(services& all) {
    const auto mine = turns.size();
    turns.push_back(0);
    const auto answer =
        co_await all.query("SELECT nextval('public.turns'), pg_backend_pid(), pg_sleep(0.01)");
    turns[mine] = std::stoll(answer.rows.at(0).at(0).value());
    sessions.insert(answer.rows.at(0).at(1).value());
    co_return succeeded{};
  }

  jobs_database db_;
};

TEST(services, callers_get_the_connection_in_the_order_in_which_they_asked) {
  const many_callers callers(1);
  EXPECT_THAT(callers.turns, ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12));
  EXPECT_EQ(callers.sessions.size(), 1U);
}

TEST(services, handlers_share_two_connections) {
  const many_callers callers(2);
  EXPECT_EQ(callers.sessions.size(), 2U);
}

TEST(services, a_broken_session_connects_again) {
  jobs_database db;
  auto options = draining(db);
  options.handler_connections = 1;
  std::vector<std::string> errors;
  const auto body = [&](services& all, job& self) -> awaitable<outcome> {
    try {
      co_await all.query("SELECT pg_terminate_backend(pg_backend_pid())");
    } catch (const database_error& e) {
      errors.push_back(e.temporary ? "temporary" : "permanent");
    }
    const auto again = co_await all.idempotent_query(self, "SELECT 'here'");
    errors.push_back(*again.rows.at(0).at(0));
    co_return succeeded{};
  };
  EXPECT_EQ(run_job(db, options, body), "succeeded");
  EXPECT_THAT(errors, ElementsAre("temporary", "here"));
}

TEST(services, a_job_that_stops_while_it_waits_for_a_connection_leaves_the_others_unharmed) {
  jobs_database db;
  db.exec("INSERT INTO test_jobs (name) SELECT 'n' || i FROM generate_series(1, 6) i");
  auto options = draining(db);
  options.handler_connections = 1;
  auto kind = test_kind();
  kind.max_concurrent = 6;
  int number = 0;
  const auto body = [&](services& all, job&) -> awaitable<outcome> {
    // Cancelled while it waits, when its own timer ends first.
    const bool impatient = ++number % 2 == 0;
    boost::asio::steady_timer timer(all.executor(), std::chrono::milliseconds{1});
    auto statement = all.query("SELECT pg_sleep(0.02)");
    if (impatient) {
      using namespace boost::asio::experimental::awaitable_operators;
      co_await (std::move(statement) || timer.async_wait(boost::asio::use_awaitable));
    } else {
      co_await std::move(statement);
    }
    co_return succeeded{};
  };
  worker_thread one(options, [&](worker& w) {
    auto& all = w.handler_services();
    w.add(kind, [&all, &body](job& self) { return body(all, self); });
  });
  EXPECT_EQ(one.join().succeeded, 6);
}

TEST(services, the_log_has_the_fields_of_the_job) {
  jobs_database db;
  log_lines log;
  std::string id;
  db.add("a");
  worker_thread one(
      draining(db),
      [&](worker& w) {
        auto& all = w.handler_services();
        w.add(test_kind(), [&](job& self) -> awaitable<outcome> {
          id = self.id();
          all.log(self).info("page read", {{"page", 3}});
          co_return succeeded{};
        });
      },
      log.target());
  one.join();
  EXPECT_THAT(log.text(), HasSubstr("info page read kind=test job=" + id + " attempt=1 page=3"));
}

/// run_worker with a kind whose factory notes that it was called and then fails.
class run_worker_services : public ::testing::Test {
 protected:
  int run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"program", "--database-url", db_.url()});
    std::vector<char*> argv;
    for (auto& each : arguments) argv.push_back(each.data());
    auto broken = test_kind();
    broken.kind = "broken";
    const auto fail = [this](services&) -> coroutine_handler {
      made_.push_back("broken");
      throw std::runtime_error("the paint shop is closed");
    };
    const auto answer = [this](services& all) {
      made_.push_back("test");
      return [&all](job& self) -> awaitable<outcome> {
        co_await all.idempotent_query(self, "SELECT 1");
        co_return succeeded{};
      };
    };
    ::testing::internal::CaptureStderr();
    const int code = run_worker(static_cast<int>(argv.size()), argv.data(),
                                {{broken, fail}, {test_kind(), answer}});
    told_ = ::testing::internal::GetCapturedStderr();
    return code;
  }

  jobs_database db_;
  std::vector<std::string> made_;
  std::string told_;
};

TEST_F(run_worker_services, a_handler_that_cannot_be_made_keeps_the_worker_from_starting) {
  db_.add("a");
  EXPECT_EQ(run({"--drain"}), 1);
  EXPECT_EQ(told_, "program: the paint shop is closed\n");
  EXPECT_EQ(db_.value("SELECT status FROM test_jobs"), "queued");
}

TEST_F(run_worker_services, handlers_that_are_not_asked_for_are_not_made) {
  db_.add("a");
  EXPECT_EQ(run({"--drain", "--kind", "test"}), 0) << told_;
  EXPECT_THAT(made_, ElementsAre("test"));
  EXPECT_EQ(db_.value("SELECT status FROM test_jobs"), "succeeded");
}

}  // namespace
}  // namespace rowrunner::testing
