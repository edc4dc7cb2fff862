#include "workloads/mirror/mirror.hpp"

#include <gmock/gmock.h>

#include <set>

#include "workloads/mirror/support/mirror_fixture.hpp"

namespace rowrunner::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class mirror : public mirror_fixture {};

nlohmann::ordered_json short_form(const api::job_state& of) {
  return {{"id", of.public_id}, {"is", of.status}};
}

TEST_F(mirror, a_job_field_by_field) {
  statuses_ = {{"doc", "job:", short_form}};
  const auto running = start_mirror();
  add("doc-1");
  ASSERT_TRUE(becomes("doc-1", "pending"));
  const auto lease = claim();
  call("progress", "doc-1", ", " + lease + ", 4, 10, 'page 4'");
  ASSERT_TRUE(eventually([&] { return pages_in_redis("doc-1") == 4; }));
  auto now = in_redis("doc-1");
  EXPECT_EQ(now.at("job_id"), "doc-1");
  EXPECT_EQ(now.at("job_type"), "doc");
  EXPECT_EQ(now.at("status"), "processing");
  EXPECT_EQ(now.at("progress"), 40);
  EXPECT_EQ(now.at("total_pages"), 10);
  EXPECT_EQ(now.at("current_page"), 5);
  EXPECT_THAT(now.at("started_at").get<std::string>(), ::testing::ContainsRegex("^20.*Z$"));
  EXPECT_THAT(now.at("updated_at").get<std::string>(), ::testing::ContainsRegex("^20.*Z$"));
  EXPECT_TRUE(now.at("estimated_completion").is_string());
  EXPECT_EQ(now.at("document_id"), "550e8400-e29b-41d4-a716-446655440000");
  EXPECT_EQ(now.at("user_id"), "user-123");
  EXPECT_TRUE(now.at("error").is_null());
  EXPECT_EQ(now.size(), 13);
  EXPECT_EQ(in_redis("doc-1", "job:"),
            nlohmann::json::parse(R"({"id": "doc-1", "is": "processing"})"));
  redis_.ask({"EXPIRE", "job:status:doc-1", "10"});
  call("succeed", "doc-1", ", " + lease);
  ASSERT_TRUE(becomes("doc-1", "completed"));
  EXPECT_EQ(in_redis("doc-1").at("progress"), 100);
  EXPECT_GE(redis_.ask({"TTL", "job:status:doc-1"}).number, 86'399) << "renewed by the update";
}

nlohmann::ordered_json refuses_bad(const api::job_state& of) {
  if (of.public_id == "bad") throw std::runtime_error("this one is bad");
  return short_form(of);
}

TEST_F(mirror, a_job_that_cannot_be_shown_keeps_no_other_from_it) {
  statuses_ = {{"doc", "job:", refuses_bad}};
  auto running = start_mirror();
  db_.exec("INSERT INTO doc_jobs (job_id) VALUES ('bad'), ('good')");
  EXPECT_TRUE(eventually([&] { return in_redis("good", "job:").is_object(); }));
  EXPECT_TRUE(becomes("bad", "pending")) << "in the form that can show it";
  EXPECT_TRUE(nothing_is_noted());
  running.reset();
  EXPECT_THAT(log_.text(), HasSubstr("this one is bad"));
}

TEST_F(mirror, changes_made_by_hand_cancels_failures_and_rescues_appear) {
  const auto running = start_mirror();
  for (const std::string name : {"a", "b", "c", "d"}) add(name);
  db_.exec("UPDATE doc_jobs SET status = 'failed', last_error = 'by hand' WHERE job_id = 'a'");
  ASSERT_TRUE(becomes("a", "failed"));
  EXPECT_EQ(in_redis("a").at("error"), "by hand");
  call("cancel", "b", ", 'not needed'");
  ASSERT_TRUE(becomes("b", "cancelled"));
  db_.exec("SELECT rowrunner.claim('doc', 'lost', 1, interval '1 second')");
  ASSERT_TRUE(becomes("c", "processing"));
  db_.exec("UPDATE rowrunner.leases SET expires_at = now() - interval '1 minute'");
  db_.exec("SELECT rowrunner.rescue((SELECT id FROM rowrunner.kinds WHERE kind = 'doc'))");
  ASSERT_TRUE(becomes("c", "pending"));
  ASSERT_TRUE(becomes("d", "pending"));
  db_.exec("DELETE FROM doc_jobs WHERE job_id = 'd'");
  EXPECT_TRUE(eventually([&] { return in_redis("d").is_null(); })) << "a row that is gone";
  EXPECT_TRUE(nothing_is_noted());
}

TEST_F(mirror, the_queue_is_a_list) {
  const auto running = start_mirror();
  add("one");
  add("two");
  add("three");
  db_.exec("UPDATE doc_jobs SET priority = -5 WHERE job_id = 'three'");
  const auto list = [&] { return redis_.list("queue:document:processing"); };
  EXPECT_TRUE(eventually([&] { return list() == "three one two"; })) << list();
  claim();
  EXPECT_TRUE(eventually([&] { return list() == "one two"; })) << list();
  db_.exec("UPDATE doc_jobs SET status = 'cancelled' WHERE status = 'queued'");
  EXPECT_TRUE(eventually([&] { return list().empty(); })) << list();
}

TEST_F(mirror, what_redis_missed_while_it_was_away_and_what_it_lost_come_back) {
  auto running = start_mirror();
  add("before");
  ASSERT_TRUE(becomes("before", "pending"));
  redis_.stop();
  add("meanwhile");
  claim();
  redis_.start();
  EXPECT_TRUE(becomes("meanwhile", "pending"));
  EXPECT_TRUE(becomes("before", "processing")) << "it was there before Redis lost its data";
  redis_.ask({"FLUSHALL"});
  EXPECT_TRUE(becomes("before", "processing"));
  running.reset();
  EXPECT_EQ(log_.count("statuses cannot be mirrored now"), 1) << log_.text();
  EXPECT_EQ(log_.count("statuses are mirrored"), 2) << log_.text();
}

TEST_F(mirror, jobs_of_before_the_first_start_are_shown_if_they_are_recent) {
  add("recent");
  add("old");
  db_.exec("UPDATE doc_jobs SET updated_at = now() - interval '25 hours' WHERE job_id = 'old'");
  EXPECT_EQ(db_.value("SELECT count(*) FROM rowrunner_mirror.changes"), "0")
      << "nothing is noted before a mirror runs";
  const auto running = start_mirror();
  EXPECT_TRUE(becomes("recent", "pending"));
  EXPECT_TRUE(eventually([&] {
    return !redis_.text({"HGET", "rowrunner:mirror", "doc"}).starts_with("sweep");
  }));
  EXPECT_TRUE(in_redis("old").is_null());
}

TEST_F(mirror, notes_end_a_day_after_the_last_mirror_and_what_was_missed_is_swept) {
  start_mirror().reset();
  add("noted");
  EXPECT_EQ(db_.value("SELECT count(*) FROM rowrunner_mirror.changes"), "1");
  db_.exec("UPDATE rowrunner_mirror.kinds SET noted_until = now() - interval '1 second'");
  add("missed");
  EXPECT_EQ(db_.value("SELECT count(*) FROM rowrunner_mirror.changes"), "1");
  const auto running = start_mirror();
  EXPECT_TRUE(becomes("noted", "pending"));
  EXPECT_TRUE(becomes("missed", "pending"));
}

TEST_F(mirror, a_full_redis_gets_the_rest_later) {
  auto running = start_mirror();
  add("first");
  ASSERT_TRUE(becomes("first", "pending"));
  redis_.ask({"CONFIG", "SET", "maxmemory-policy", "noeviction"});
  redis_.ask({"CONFIG", "SET", "maxmemory", "1"});
  add("second");
  const auto lease = claim();
  call("succeed", "first", ", " + lease);
  EXPECT_EQ(db_.value("SELECT status FROM doc_jobs WHERE job_id = 'first'"), "succeeded");
  EXPECT_TRUE(eventually(
      [&] { return db_.value("SELECT holder IS NULL FROM rowrunner_mirror.holder") == "t"; }));
  EXPECT_EQ(in_redis("first").at("status"), "pending");
  redis_.ask({"CONFIG", "SET", "maxmemory", "0"});
  EXPECT_TRUE(becomes("first", "completed"));
  EXPECT_TRUE(becomes("second", "pending"));
  running.reset();
  EXPECT_EQ(log_.count("OOM"), 1) << log_.text();
}

TEST_F(mirror, a_redis_that_does_not_answer_holds_up_nobody) {
  auto running = start_mirror();
  add("first");
  ASSERT_TRUE(becomes("first", "pending"));
  redis_.kill(SIGSTOP);
  const auto begin = std::chrono::steady_clock::now();
  const auto lease = claim();
  call("succeed", "first", ", " + lease);
  for (int i = 0; i < 20; ++i) add("more-" + std::to_string(i));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(2));
  EXPECT_TRUE(eventually(
      [&] { return db_.value("SELECT holder IS NULL FROM rowrunner_mirror.holder") == "t"; }));
  redis_.kill(SIGCONT);
  EXPECT_TRUE(becomes("first", "completed"));
  EXPECT_TRUE(becomes("more-19", "pending"));
  running.reset();
  EXPECT_EQ(log_.count("no answer in time"), 1) << log_.text();
}

TEST_F(mirror, a_wrong_password_is_one_line_without_it) {
  redis_.ask({"CONFIG", "SET", "requirepass", "right"});
  auto where = redis_.address();
  where.password = "hunter2";
  auto running = start_mirror(where);
  add("job");
  const auto tries = [&] {
    return db_.value("SELECT xmin::text::bigint FROM rowrunner_mirror.holder");
  };
  // It lets go and tries again: each time the row is written.
  std::set<std::string> seen;
  ASSERT_TRUE(eventually([&] { return seen.insert(tries()), seen.size() >= 4; }));
  claim();
  running.reset();
  EXPECT_EQ(log_.count("statuses cannot be mirrored now"), 1) << log_.text();
  EXPECT_THAT(log_.text(), HasSubstr("WRONGPASS"));
  EXPECT_THAT(log_.text(), Not(HasSubstr("hunter2")));
  where.password = "right";
  running = start_mirror(where);
  EXPECT_TRUE(nothing_is_noted()) << "with the right one it catches up";
}

TEST_F(mirror, two_share_the_work_and_one_takes_over) {
  auto one = start_mirror();
  add("a");
  ASSERT_TRUE(becomes("a", "pending"));
  auto two = start_mirror();
  const auto holder = [&] { return db_.value("SELECT holder FROM rowrunner_mirror.holder"); };
  const auto first = holder();
  one.reset();
  add("b");
  EXPECT_TRUE(becomes("b", "pending"));
  EXPECT_NE(holder(), first);
}

TEST_F(mirror, before_it_ends_it_sends_what_is_committed) {
  auto running = start_mirror();
  add("a");
  ASSERT_TRUE(becomes("a", "pending"));
  for (int i = 0; i < 300; ++i) add("last-" + std::to_string(i));
  running.reset();
  EXPECT_EQ(status_in_redis("last-299"), "pending");
  EXPECT_EQ(db_.value("SELECT count(*) FROM rowrunner_mirror.changes"), "0");
}

}  // namespace
}  // namespace rowrunner::testing
