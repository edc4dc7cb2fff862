// What run_after and attach take and refuse, from SQL and from C++.

#include <rowrunner/enqueue.hpp>

#include "common/pg/exec.hpp"
#include "integration/joins_fixture.hpp"

namespace rowrunner::testing {
namespace {

using ::testing::HasSubstr;

using joins_calls = joins_fixture;

TEST_F(joins_calls, bad_input_is_refused) {
  add("a,b");
  db_.exec(insert("sum", "plain"));
  join("total", "a");
  join("c", "a", "", "part");
  join("d", "c", "", "part");
  const auto error = [&](const std::string& arguments) {
    return error_of(db_, insert("sum", "x") + "SELECT rowrunner.run_after('sum', " +
                             id("sum", "x") + ", " + arguments + ")");
  };
  EXPECT_THAT(error("'nothing', '{}'"), HasSubstr("unknown kind 'nothing'"));
  EXPECT_THAT(error("'sum', " + ids("sum", "plain")), HasSubstr("attached without joins"));
  EXPECT_THAT(error("'part', NULL"), HasSubstr("parent_ids is NULL"));
  EXPECT_THAT(error("'part', ARRAY[NULL::uuid]"), HasSubstr("is NULL"));
  EXPECT_THAT(error("'part', ARRAY[gen_random_uuid()]"), HasSubstr("there is no job"));
  EXPECT_THAT(error("'part', array_fill(gen_random_uuid(), '{100001}')"),
              HasSubstr("100000 at most"));
  EXPECT_THAT(error("'part', '{}', when_failed => 'stop'"), HasSubstr("run, cancel or hold"));
  EXPECT_THAT(error("'part', '{}', at_latest => '-1 s'"), HasSubstr("must not be negative"));
  EXPECT_THAT(error_of(db_, after("part", "c", "c")), HasSubstr("cannot wait for itself"));
  EXPECT_THAT(error_of(db_, after("part", "c", "d")), HasSubstr("which waits for it"));
  EXPECT_THAT(error_of(db_, after("sum", "total", "b", ", when_failed => 'hold'")),
              HasSubstr("cannot change"));
  EXPECT_THAT(error_of(db_, "SELECT rowrunner.run_after('sum', gen_random_uuid(), 'part', '{}')"),
              HasSubstr("there is no job"));
  EXPECT_THAT(
      error_of(db_, "UPDATE rowrunner.waits SET parents = 100000;" + after("sum", "total", "b")),
      HasSubstr("100000 parents at most"));
  EXPECT_EQ(left(), "3 3 0");
}

TEST_F(joins_calls, a_kind_cannot_lose_its_joins) {
  db_.exec("SELECT rowrunner.attach('part', kind => 'part')");
  EXPECT_EQ(db_.value("SELECT joins FROM rowrunner.kinds WHERE kind = 'part'"), "t");
  EXPECT_THAT(error_of(db_, "SELECT rowrunner.attach('part', kind => 'part', joins => false)"),
              HasSubstr("cannot be undone"));
  db_.exec("SELECT rowrunner.attach('sum', kind => 'sum', joins => true)");
  EXPECT_EQ(db_.value("SELECT count(*) FROM pg_trigger WHERE tgname LIKE 'rowrunner_parent%'"),
            "4");
}

TEST_F(joins_calls, attach_keeps_the_columns_of_owner_and_public_id) {
  db_.exec("ALTER TABLE sum ADD user_id uuid, ADD of_order text, ADD job_id text, ADD n integer");
  const auto error = [&](const std::string& more) {
    return error_of(db_, "SELECT rowrunner.attach('sum', kind => 'sum', " + more + ")");
  };
  EXPECT_THAT(error("owner => 'who'"), HasSubstr("there is no such column"));
  EXPECT_THAT(error("owner => 'n'"), HasSubstr("is integer, must be text or uuid"));
  EXPECT_THAT(error("co_owner => 'n'"), HasSubstr("is integer, must be text or uuid"));
  EXPECT_THAT(error("public_id => 'user_id'"), HasSubstr("is uuid, must be text"));
  EXPECT_THAT(error("public_id => 'job_id'"), HasSubstr("must be NOT NULL"));
  db_.exec("ALTER TABLE sum ALTER job_id SET NOT NULL");
  EXPECT_THAT(error("public_id => 'job_id'"), HasSubstr("needs a unique index"));
  db_.exec("CREATE UNIQUE INDEX ON sum (job_id)");
  EXPECT_EQ(error("public_id => 'job_id', owner => 'user_id', co_owner => 'of_order'"), "");
  db_.exec("SELECT rowrunner.attach('sum', kind => 'sum')");
  EXPECT_EQ(db_.value("SELECT concat_ws(' ', owner_column, co_owner_column, public_id_column)"
                      " FROM rowrunner.kinds WHERE kind = 'sum'"),
            "user_id of_order job_id");
}

TEST_F(joins_calls, from_cpp) {
  add("a");
  const auto part = db_.value("SELECT id FROM part");
  pqxx::work tx(db_.connection());
  new_job job;
  job.columns["name"] = "total";
  const auto child = enqueue(tx, "sum", job).value();
  EXPECT_EQ(run_after(tx, {"sum", child, "part", {part}, when_failed::hold, std::chrono::hours(1)}),
            1);
  EXPECT_THROW(run_after(tx, {"sum", "x", "part", {}}), bad_input);
  EXPECT_THROW(run_after(tx, {"sum", child, "part", {"x"}}), bad_input);
  EXPECT_THROW(run_after(tx, {"sum", child, "part", std::vector<std::string>(100'001, part)}),
               bad_input);
  tx.commit();
  EXPECT_TRUE(held("sum", "total"));
  EXPECT_EQ(db_.value("SELECT when_failed FROM rowrunner.waits WHERE at_latest > now()"), "hold");
}

TEST_F(joins_calls, effects_enqueue_children_and_let_them_wait) {
  add("a");
  pqxx::work tx(db_.connection());
  new_job job;
  job.columns["name"] = "total";
  job.id = new_job_id();
  const auto born = enqueue_effect(find_job_table(tx, "sum"), job);
  const auto part = tx.exec("SELECT id FROM part")[0][0].as<std::string>();
  const auto waits = run_after_effect({"sum", *job.id, "part", {part}});
  for (const auto& each : {born, waits}) pg::exec_each(tx, each.sql, each.params);
  tx.commit();
  EXPECT_TRUE(held("sum", "total"));
  end("a");
  EXPECT_EQ(fire(), "1");
}

}  // namespace
}  // namespace rowrunner::testing
