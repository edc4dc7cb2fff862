// Which places get a picture job, and which are left alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "common/errors.hpp"
#include "support/paths.hpp"
#include "support/process.hpp"
#include "workloads/spot_images/enqueue.hpp"
#include "workloads/spot_images/plan_store.hpp"
#include "workloads/spot_images/support/spot_database.hpp"

namespace rowrunner::testing {
namespace {

using spot_images::enqueue_answer;
using ::testing::HasSubstr;

const std::string composed = "\xE3\x81\x8C";
const std::string decomposed = "\xE3\x81\x8B\xE3\x82\x99";

enqueue_answer numbers(int enqueued, int requeued, int skipped) {
  enqueue_answer out;
  out.enqueued = enqueued;
  out.requeued = requeued;
  out.skipped = skipped;
  return out;
}

class spot_enqueue : public ::testing::Test {
 protected:
  spot_enqueue() { db_.exec("INSERT INTO travel_plans (plan_id, title) VALUES ('plan', 'Plan')"); }

  void add_spot(const std::string& name, const std::string& more = "",
                const std::string& values = "") {
    db_.exec("INSERT INTO spots (plan_id, position, spot_name" + (more.empty() ? "" : ", " + more) +
             ") VALUES ('plan', (SELECT count(*) FROM spots), '" + name + "'" +
             (values.empty() ? "" : ", " + values) + ")");
  }
  enqueue_answer enqueue(const std::string& plan = "plan") {
    pqxx::work tx(db_.connection());
    const auto answer = spot_images::spot_images(tx, plan);
    tx.commit();
    return answer;
  }
  enqueue_answer sweep() {
    pqxx::work tx(db_.connection());
    const auto answer = spot_images::missing(tx);
    tx.commit();
    return answer;
  }
  std::string jobs() {
    return db_.value(
        "SELECT string_agg(spot_name || ' ' || status || ' ' || attempts, ', ' ORDER BY spot_name)"
        " FROM spot_image_jobs");
  }

  spot_database db_;
};

TEST_F(spot_enqueue, takes_places_without_picture_that_are_not_started_or_failed) {
  add_spot("fresh");
  add_spot("failed", "image_status", "'failed'");
  add_spot("empty", "image_url", "''");
  add_spot("has one", "image_url", "'file:///x.png'");
  add_spot("done", "image_status", "'succeeded'");
  add_spot("at work", "image_status", "'processing'");
  EXPECT_EQ(enqueue(), numbers(3, 0, 3));
  EXPECT_EQ(jobs(), "empty queued 0, failed queued 0, fresh queued 0");
  EXPECT_EQ(claim_names(db_), "fresh failed empty") << "in the order of the plan";
}

TEST_F(spot_enqueue, leaves_jobs_alone_that_wait_run_or_succeeded) {
  for (const std::string name : {"running", "waiting", "done"}) add_spot(name);
  insert_job(db_, "running");
  EXPECT_EQ(claim_names(db_), "running");
  insert_job(db_, "waiting");
  insert_job(db_, "done", "status", "'succeeded'");
  // Even a status that was written by hand does not make a second job.
  db_.exec("UPDATE spots SET image_status = 'failed'");
  const auto before = jobs();
  EXPECT_EQ(enqueue(), numbers(0, 0, 3));
  EXPECT_EQ(jobs(), before);
  EXPECT_EQ(lost_jobs(db_), "0 0");
}

TEST_F(spot_enqueue, queues_failed_jobs_again_with_new_attempts) {
  add_spot("a");
  add_spot("b");
  insert_job(db_, "a", "status, attempts, last_error", "'failed', 3, 'no paint'");
  EXPECT_EQ(enqueue(), numbers(1, 1, 0));
  EXPECT_EQ(jobs(), "a queued 0, b queued 0");
  EXPECT_EQ(enqueue(), numbers(0, 0, 2));
  EXPECT_EQ(lost_jobs(db_), "0 0");
  EXPECT_EQ(db_.value("SELECT string_agg(image_status, ' ') FROM spots"),
            "not_started not_started");
}

TEST_F(spot_enqueue, leaves_a_failed_job_alone_if_its_place_has_a_picture) {
  add_spot("a", "image_url", "'file:///x.png'");
  insert_job(db_, "a", "status", "'failed'");
  EXPECT_EQ(enqueue(), numbers(0, 0, 1));
  EXPECT_EQ(jobs(), "a failed 0");
}

TEST_F(spot_enqueue, refuses_unknown_plans_and_broken_text) {
  EXPECT_THROW(enqueue("nowhere"), bad_input);
  EXPECT_THROW(enqueue(""), bad_input);
  EXPECT_THROW(enqueue("\xFF"), bad_input);
  EXPECT_EQ(enqueue(), numbers(0, 0, 0)) << "a plan without places";
}

TEST_F(spot_enqueue, create_job_makes_one_job_however_often_it_is_called) {
  pqxx::work tx(db_.connection());
  spot_images::create_job(tx, "plan", "a");
  spot_images::create_job(tx, "plan", "a", 7);
  spot_images::create_job(tx, "plan", "b", 7);
  EXPECT_THROW(spot_images::create_job(tx, "plan", "c", 0), bad_input);
  EXPECT_THROW(spot_images::create_job(tx, "plan", ""), bad_input);
  EXPECT_THROW(spot_images::create_job(tx, "plan", std::string("a\0", 2)), bad_input);
  tx.commit();
  EXPECT_EQ(jobs(), "a queued 0, b queued 0");
  EXPECT_EQ(db_.value("SELECT string_agg(max_attempts::text, ' ' ORDER BY spot_name)"
                      " FROM spot_image_jobs"),
            "3 7");
  db_.exec("UPDATE spot_image_jobs SET status = 'failed'");
  pqxx::work again(db_.connection());
  spot_images::create_job(again, "plan", "a");
  again.commit();
  EXPECT_EQ(jobs(), "a failed 0, b failed 0");
}

TEST_F(spot_enqueue, twins_in_other_normal_forms_are_one_place) {
  pqxx::work tx(db_.connection());
  spot_images::create_job(tx, "plan", composed);
  spot_images::create_job(tx, "plan", decomposed);
  tx.commit();
  EXPECT_EQ(jobs(), composed + " queued 0");
  add_spot(composed);
  EXPECT_EQ(enqueue(), numbers(0, 0, 1));
  db_.exec("INSERT INTO travel_plans (plan_id, title) VALUES ('" + composed + "', 't')");
  EXPECT_EQ(enqueue(decomposed), numbers(0, 0, 0));
}

TEST_F(spot_enqueue, a_failure_never_harms_the_guide) {
  db_.exec("ALTER TABLE spot_image_jobs ADD CHECK (spot_name <> 'cursed')");
  pqxx::work tx(db_.connection());
  tx.exec("INSERT INTO spots (plan_id, spot_name) VALUES ('plan', 'a'), ('plan', 'cursed')");
  const auto refused = spot_images::spot_images_or_nothing(tx, "plan");
  EXPECT_FALSE(refused.answer);
  EXPECT_THAT(refused.error, HasSubstr("violates check constraint"));
  EXPECT_EQ(refused.error.find('\n'), std::string::npos);
  EXPECT_THAT(spot_images::spot_images_or_nothing(tx, "nowhere").error, HasSubstr("unknown plan"));
  tx.commit();
  EXPECT_EQ(db_.value("SELECT count(*) FROM spots"), "2");
  EXPECT_EQ(jobs(), "");
  db_.exec("DELETE FROM spots WHERE spot_name = 'cursed'");
  pqxx::work next(db_.connection());
  const auto accepted = spot_images::spot_images_or_nothing(next, "plan");
  next.commit();
  ASSERT_TRUE(accepted.answer) << accepted.error;
  EXPECT_EQ(*accepted.answer, numbers(1, 0, 0));
  EXPECT_EQ(jobs(), "a queued 0");
}

TEST_F(spot_enqueue, the_sweep_finds_what_was_missed_and_nothing_else) {
  for (const std::string name : {"missed", "waiting", "hopeless"}) add_spot(name);
  add_spot("has one", "image_url", "'x'");
  db_.exec("INSERT INTO travel_plans (plan_id, title) VALUES ('other', 'o')");
  db_.exec("INSERT INTO spots (plan_id, spot_name) VALUES ('other', 'missed too')");
  insert_job(db_, "waiting");
  insert_job(db_, "hopeless", "status", "'failed'");
  EXPECT_EQ(sweep(), numbers(2, 0, 2));
  EXPECT_EQ(jobs(), "hopeless failed 0, missed queued 0, missed too queued 0, waiting queued 0");
  EXPECT_EQ(sweep(), numbers(0, 0, 4));
}

TEST_F(spot_enqueue, needs_the_rights_of_an_application_only) {
  add_spot("b");
  insert_job(db_, "b", "status", "'failed'");
  pqxx::work tx(db_.connection());
  tx.exec("SET LOCAL ROLE rowrunner_app");
  spot_images::plan given;
  given.id = "mine";
  given.title = "t";
  given.spots.resize(1);
  given.spots[0].name = "a";
  EXPECT_EQ(spot_images::import_plan(tx, given), spot_images::import_result::created);
  EXPECT_EQ(spot_images::spot_images(tx, "mine"), numbers(1, 0, 0));
  EXPECT_EQ(spot_images::spot_images(tx, "plan"), numbers(0, 1, 0));
  EXPECT_EQ(spot_images::missing(tx), numbers(0, 0, 2));
  spot_images::create_job(tx, "mine", "z");
  tx.exec("INSERT INTO spot_image_jobs (plan_id, spot_name) VALUES ('mine', 'plain')");
  tx.exec("RESET ROLE");
  tx.commit();
  EXPECT_EQ(lost_jobs(db_), "0 0");
}

TEST_F(spot_enqueue, many_at_once_make_each_job_once) {
  db_.exec(
      "INSERT INTO spots (plan_id, spot_name, position)"
      " SELECT 'plan', 's' || i, 1000 - i FROM generate_series(1, 200) i");
  db_.exec(
      "INSERT INTO spot_image_jobs (plan_id, spot_name, status)"
      " SELECT 'plan', 's' || i, 'failed' FROM generate_series(1, 50) i");
  std::vector<enqueue_answer> answers(6);
  std::vector<std::thread> threads;
  for (auto& answer : answers) {
    threads.emplace_back([&answer, url = db_.url()] {
      pqxx::connection connection(url);
      pqxx::work tx(connection);
      answer = spot_images::spot_images(tx, "plan");
      tx.commit();
    });
  }
  for (auto& thread : threads) thread.join();
  enqueue_answer sum;
  for (const auto& answer : answers) {
    sum.enqueued += answer.enqueued;
    sum.requeued += answer.requeued;
  }
  EXPECT_EQ(sum, numbers(150, 50, 0));
  EXPECT_EQ(db_.value("SELECT count(*) FROM spot_image_jobs WHERE status = 'queued'"), "200");
  EXPECT_EQ(lost_jobs(db_), "0 0");
}

TEST_F(spot_enqueue, the_python_recipe_saves_the_guide_and_its_jobs_in_one_transaction) {
  const std::vector<std::string> command{"/usr/bin/python3",
                                         source_dir() + "/examples/python/enqueue.py",
                                         source_dir() + "/examples/kyoto.json"};
  const process_environment environment{{"DATABASE_URL", db_.url()}};
  const auto first = run_process(command, environment);
  EXPECT_EQ(first.exit_code, 0) << first.err;
  EXPECT_EQ(first.out, "kyoto: guide saved, 12 pictures enqueued\n");
  EXPECT_EQ(db_.value("SELECT count(*) FROM spots JOIN spot_image_jobs USING (plan_id, spot_name)"
                      " WHERE plan_id = 'kyoto' AND status = 'queued'"),
            "12");
  EXPECT_EQ(lost_jobs(db_), "0 0");
  EXPECT_NE(run_process(command, environment).exit_code, 0) << "the plan exists";

  db_.exec("DELETE FROM spot_image_jobs");
  db_.exec("DELETE FROM travel_plans");
  db_.exec("ALTER TABLE spot_image_jobs ADD CHECK (spot_name <> '二条城')");
  const auto second = run_process(command, environment);
  EXPECT_EQ(second.exit_code, 0) << second.err;
  EXPECT_THAT(second.err, HasSubstr("pictures are not enqueued"));
  EXPECT_EQ(db_.value("SELECT count(*) FROM spots"), "12") << "the guide is saved all the same";
  EXPECT_EQ(jobs(), "");
}

TEST_F(spot_enqueue, the_fastapi_recipe_saves_the_guide_and_its_jobs_in_one_transaction) {
  db_.exec("DELETE FROM travel_plans");
  const std::string more = db_.url().find('?') == std::string::npos ? "?" : "&";
  const std::string as_application = db_.url() + more + "options=-c%20role%3Drowrunner_app";
  const auto called =
      run_process({"/usr/bin/python3",
                   source_dir() + "/tests/workloads/spot_images/integration/fastapi_recipe.py"},
                  {{"OWNER_URL", db_.url()}, {"DATABASE_URL", as_application}});
  EXPECT_EQ(called.exit_code, 0) << called.err;
  EXPECT_EQ(called.out, "the recipe works\n");
  EXPECT_EQ(lost_jobs(db_), "0 0");
}

}  // namespace
}  // namespace rowrunner::testing
