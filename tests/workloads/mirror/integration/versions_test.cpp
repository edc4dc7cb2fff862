#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>

#include "workloads/mirror/status_source.hpp"
#include "workloads/mirror/support/mirror_fixture.hpp"

namespace rowrunner::testing {
namespace {

namespace asio = boost::asio;

class versions : public mirror_fixture {
 protected:
  /// The state of a job as a mirror reads it now.
  rowrunner::mirror::seen_states read(const std::string& job_id) { return read_id(id_of(job_id)); }

  rowrunner::mirror::seen_states read_id(const std::string& id) {
    asio::io_context io;
    pg::settings settings;
    settings.url = db_.url();
    settings.pooled = true;
    rowrunner::mirror::status_source source(io.get_executor(), settings);
    const std::vector<std::string> wanted(1, id);
    auto answer = asio::co_spawn(io, states_of(source, wanted), asio::use_future);
    io.run();
    return answer.get();
  }

  static asio::awaitable<rowrunner::mirror::seen_states> states_of(
      rowrunner::mirror::status_source& source, const std::vector<std::string>& wanted) {
    const auto kinds = co_await source.kinds();
    co_return co_await source.states(kinds.front(), wanted);
  }

  std::int64_t send(const rowrunner::mirror::seen_states& seen) {
    return redis_
        .ask(rowrunner::mirror::set_status("job:status:job", seen.at,
                                           api::document_json(seen.states.front()).dump()))
        .number;
  }
};

TEST_F(versions, a_delayed_writer_is_refused) {
  add("job");
  const auto old = read("job");
  claim();
  const auto newer = read("job");
  EXPECT_EQ(send(newer), 1);
  EXPECT_EQ(send(old), 0) << "it was read before, and comes late";
  EXPECT_EQ(in_redis("job").at("status"), "processing");
}

// A transaction id says when a transaction began to write, not when it committed.
TEST_F(versions, follow_commits_and_not_transaction_ids) {
  add("job");
  pqxx::connection slow(db_.url());
  pqxx::work early(slow);
  early.exec("SELECT pg_current_xact_id()");
  db_.exec("UPDATE doc_jobs SET user_id = 'late id, early commit'");
  const auto before = read("job");
  early.exec("UPDATE doc_jobs SET user_id = 'early id, late commit'");
  const auto between = read("job");
  EXPECT_EQ(between.states.front().owner, "late id, early commit") << "nothing was committed";
  early.commit();
  const auto after = read("job");
  EXPECT_EQ(after.states.front().owner, "early id, late commit");
  EXPECT_GT(after.at.ended, before.at.ended);
  EXPECT_EQ(send(after), 1);
  EXPECT_EQ(send(before), 0);
}

TEST_F(versions, of_a_job_that_is_gone_come_alone) {
  add("job");
  const auto id = id_of("job");
  const auto before = read_id(id);
  EXPECT_EQ(before.states.size(), 1);
  EXPECT_EQ(before.at.timeline, 1);
  EXPECT_EQ(before.at.system, db_.value("SELECT system_identifier FROM pg_control_system()"));
  db_.exec("DELETE FROM doc_jobs");
  const auto after = read_id(id);
  EXPECT_TRUE(after.states.empty());
  EXPECT_GT(after.at.ended, before.at.ended);
}

}  // namespace
}  // namespace rowrunner::testing
