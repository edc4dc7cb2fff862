// Two job tables may hold the same id: what the engine keeps of a job is kept by kind and id.
#include <gtest/gtest.h>

#include "support/jobs.hpp"
#include "support/worker_thread.hpp"

namespace rowrunner::testing {
namespace {

class equal_ids : public ::testing::Test {
 protected:
  equal_ids() {
    db_.exec("CREATE TABLE other_jobs (LIKE test_jobs INCLUDING ALL)");
    db_.exec("SELECT rowrunner.attach('other_jobs', kind => 'other')");
    id_ = db_.add("a");
    db_.exec("INSERT INTO other_jobs (id, name) VALUES ('" + id_ + "', 'a')");
  }

  std::string claim(const std::string& kind) {
    return db_.value("SELECT rowrunner.claim('" + kind + "', 'w')->>'lease'");
  }
  void fail_for_good(const std::string& kind) {
    db_.exec("SELECT rowrunner.fail('" + kind + "', '" + id_ + "', " + claim(kind) + ", 'no " +
             kind + "', final => true)");
  }

  jobs_database db_;
  std::string id_;
};

kind_options kind_of(std::string name) {
  kind_options options;
  options.kind = std::move(name);
  return options;
}

template <int answer>
boost::asio::awaitable<outcome> one_step(job& self) {
  const auto result =
      co_await self.step("s", []() -> boost::asio::awaitable<nlohmann::json> { co_return answer; });
  co_await self.progress(answer, 2, "");
  if (result != answer) co_return final_failure("read the step of another kind");
  co_return succeeded{};
}

TEST_F(equal_ids, each_job_has_its_own_steps_and_progress) {
  auto options = worker_thread::options_for(db_);
  options.drain = true;
  worker_thread both(options, [](worker& w) {
    w.add(kind_of("test"), one_step<1>);
    w.add(kind_of("other"), one_step<2>);
  });
  EXPECT_EQ(both.join().succeeded, 2);
  EXPECT_EQ(db_.value("SELECT string_agg(result::text, ' ' ORDER BY result) FROM rowrunner.steps"),
            "1 2");
  EXPECT_EQ(db_.value("SELECT string_agg(done::text, ' ' ORDER BY done) FROM rowrunner.progress"),
            "1 2");
  db_.exec("DELETE FROM other_jobs");
  EXPECT_EQ(db_.value("SELECT string_agg(result::text, ' ') FROM rowrunner.steps"), "1");
  EXPECT_EQ(db_.value("SELECT string_agg(done::text, ' ') FROM rowrunner.progress"), "1");
}

TEST_F(equal_ids, each_job_has_its_own_attempts_and_failure) {
  fail_for_good("test");
  fail_for_good("other");
  EXPECT_EQ(db_.value("SELECT string_agg(error, ', ' ORDER BY error) FROM rowrunner.failures"),
            "no other, no test");
  db_.exec("DELETE FROM other_jobs");
  EXPECT_EQ(db_.value("SELECT string_agg(error, ', ') FROM rowrunner.failures"), "no test");
  EXPECT_EQ(db_.value("SELECT string_agg(error, ', ') FROM rowrunner.attempts"), "no test");
}

TEST_F(equal_ids, a_requeue_removes_only_its_own_failure) {
  fail_for_good("test");
  fail_for_good("other");
  db_.exec("SELECT rowrunner.requeue('other', '" + id_ + "')");
  EXPECT_EQ(db_.value("SELECT string_agg(error, ', ') FROM rowrunner.failures"), "no test");
}

}  // namespace
}  // namespace rowrunner::testing
