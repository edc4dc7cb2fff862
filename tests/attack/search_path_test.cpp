#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <rowrunner/enqueue.hpp>

#include "support/jobs.hpp"
#include "support/paths.hpp"
#include "support/process.hpp"
#include "support/worker_thread.hpp"

namespace rowrunner::testing {
namespace {

using ::testing::HasSubstr;

// One function and one operator for each of the system's, and a domain for each of its types that
// has no keyword of its own, in a schema that comes first in the search_path of every new session.
// Whoever means the system's and says so only by its name calls these, and fails.
constexpr const char* shadows = R"sql(
CREATE SCHEMA shadow;
DO $$
DECLARE
  f record;
BEGIN
  FOR f IN SELECT p.proname, oidvectortypes(p.proargtypes) AS types, format_type(p.prorettype, NULL) AS result
           FROM pg_proc p WHERE p.pronamespace = 'pg_catalog'::regnamespace AND p.prokind = 'f'
             AND NOT p.proretset AND p.prorettype NOT IN ('internal'::regtype, 'trigger'::regtype)
             AND p.provariadic = 0 LOOP
    BEGIN
      EXECUTE format('CREATE FUNCTION shadow.%I(%s) RETURNS %s LANGUAGE plpgsql AS %L', f.proname, f.types,
                     f.result, format('BEGIN RAISE %L; END', 'a shadow was called: ' || f.proname));
    EXCEPTION WHEN OTHERS THEN NULL;
    END;
  END LOOP;
  FOR f IN SELECT o.oprname, format_type(o.oprleft, NULL) AS l, format_type(o.oprright, NULL) AS r,
                  c.proname, o.oprleft FROM pg_operator o JOIN pg_proc c ON c.oid = o.oprcode
           WHERE o.oprnamespace = 'pg_catalog'::regnamespace LOOP
    BEGIN
      EXECUTE format('CREATE OPERATOR shadow.%s (FUNCTION = shadow.%I%s, RIGHTARG = %s)', f.oprname,
                     f.proname, CASE WHEN f.oprleft <> 0 THEN ', LEFTARG = ' || f.l END, f.r);
    EXCEPTION WHEN OTHERS THEN NULL;
    END;
  END LOOP;
  CREATE FUNCTION shadow.caught(anyelement) RETURNS boolean LANGUAGE plpgsql
    AS 'BEGIN RAISE ''a shadow was called: a type''; END';
  FOR f IN SELECT unnest(ARRAY['text', 'uuid', 'regclass', 'timestamptz', 'jsonb', 'oid', 'name', 'int4',
                               'int8', 'int2', 'bool', 'float8']) AS name LOOP
    EXECUTE format('CREATE DOMAIN shadow.%I AS pg_catalog.%1$I CHECK (shadow.caught(VALUE))', f.name);
  END LOOP;
END
$$;
GRANT USAGE ON SCHEMA shadow TO PUBLIC;
)sql";

class search_path : public ::testing::Test {
 protected:
  // The connection of the test itself keeps the usual path.
  static void cast_shadows(test_database& db) {
    db.exec(shadows);
    ASSERT_GT(std::stoi(db.value("SELECT count(*) FROM pg_proc"
                                 " WHERE pronamespace = 'shadow'::regnamespace")),
              2000);
    ASSERT_GT(std::stoi(db.value("SELECT count(*) FROM pg_operator"
                                 " WHERE oprnamespace = 'shadow'::regnamespace")),
              500);
    db.exec("ALTER DATABASE \"" + db.name() + "\" SET search_path = shadow, pg_catalog, public");
    pqxx::connection fresh(db.url());
    pqxx::work tx(fresh);
    EXPECT_THROW(tx.exec("SELECT now()"), pqxx::sql_error);
  }

  static std::string command(const test_database& db, std::vector<std::string> words) {
    words.insert(words.begin(), rowrunner_binary());
    const auto done = run_process(words, {{"DATABASE_URL", db.url()}});
    return done.exit_code == 0 ? "" : words[1] + ": " + done.err;
  }
};

TEST_F(search_path, does_not_matter_to_migrate) {
  test_database db(test_database::contents::empty);
  cast_shadows(db);
  EXPECT_EQ(command(db, {"migrate"}), "");
  EXPECT_EQ(command(db, {"migrate"}), "");
  EXPECT_EQ(command(db, {"migrate", "--status"}), "");
  EXPECT_EQ(command(db, {"migrate", "--dry-run"}), "");
  EXPECT_EQ(insert_job(db, "a").size(), 36U);
  EXPECT_EQ(claim_names(db), "a");
}

// Jobs that succeed with an effect, fail, and have a step, under names that the effect finds only
// by the path of the database.
void run_jobs(jobs_database& db, const worker_options& options) {
  db.exec(
      "CREATE SCHEMA mine; CREATE TABLE mine.words (word pg_catalog.text);"
      "ALTER DATABASE \"" +
      db.name() + "\" SET search_path = shadow, pg_catalog, mine, public");
  for (const std::string name : {"one", "two", "dead"}) db.add(name);
  {
    worker_thread worker(options, [](rowrunner::worker& w) {
      w.add_blocking(test_kind(), [](blocking_job& job) -> outcome {
        if (job.text("name") == "dead") return failed{"no", {}, true};
        job.step("one", [] { return nlohmann::json(1); });
        job.progress(1, 2, "half");
        return succeeded{{effect{"INSERT INTO words (word) VALUES ($1)", {job.text("name")}}}};
      });
    });
    EXPECT_TRUE(db.becomes("SELECT count(*) FROM test_jobs WHERE status = 'succeeded'", "2"));
    EXPECT_TRUE(db.reaches("dead", "failed"));
  }
  EXPECT_EQ(db.value("SELECT string_agg(word, ' ' ORDER BY word) FROM mine.words"), "one two");
  EXPECT_EQ(db.value("SELECT count(*) FROM rowrunner.workers"), "0") << "it left in order";
}

TEST_F(search_path, does_not_matter_to_a_worker_and_its_effects_have_their_own) {
  jobs_database db;
  cast_shadows(db);
  run_jobs(db, worker_thread::options_for(db));
}

TEST_F(search_path, does_not_matter_to_a_worker_behind_a_pooler) {
  jobs_database db;
  cast_shadows(db);
  const pooler front(server_url());
  auto options = worker_thread::options_for(db);
  options.database_url = front.through(db.url());
  options.pooled = true;
  run_jobs(db, options);
}

TEST_F(search_path, does_not_matter_to_commands) {
  test_database db;
  const auto failed = insert_job(db, "dead", "status", "'failed'");
  const auto queued = insert_job(db, "queued");
  const auto other = insert_job(db, "other");
  insert_job(db, "later", "run_at", "now() + interval '1 day'");
  db.exec(
      "INSERT INTO travel_plans (plan_id, title) VALUES ('p', 'p');"
      "INSERT INTO spots (plan_id, spot_name) VALUES ('p', 'a')");
  cast_shadows(db);
  const std::vector<std::vector<std::string>> commands{
      {"stats"},
      {"stats", "--json"},
      {"jobs", "list"},
      {"jobs", "list", "--status", "failed"},
      {"jobs", "list", "--status", "queued"},
      {"jobs", "show", failed},
      {"jobs", "show", queued},
      {"jobs", "retry", failed},
      {"jobs", "cancel", queued},
      {"jobs", "retry", "--failed", "--kind", "spot_image"},
      {"kinds", "list"},
      {"kinds", "pause", "spot_image"},
      {"kinds", "resume", "spot_image"},
      {"enqueue", "spot-images", "--plan", "p"},
      {"enqueue", "spot-images", "--missing"},
      {"plan", "show", "p"}};
  for (const auto& words : commands) EXPECT_EQ(command(db, words), "");
  EXPECT_EQ(lost_jobs(db), "0 0");
}

TEST_F(search_path, does_not_matter_to_those_who_enqueue_in_c_plus_plus) {
  test_database db;
  const auto dead = insert_job(db, "dead", "status", "'failed'");
  cast_shadows(db);
  pqxx::connection fresh(db.url());
  pqxx::work tx(fresh);
  const auto table = find_job_table(tx, "spot_image");
  new_job job;
  job.columns = {{"plan_id", "p"}, {"spot_name", "a"}};
  job.delay = std::chrono::seconds{1};
  EXPECT_TRUE(enqueue(tx, table, job).has_value());
  job.columns = {{"plan_id", "p"}, {"spot_name", "b"}};
  job.delay.reset();
  job.run_at = std::chrono::system_clock::now();
  EXPECT_TRUE(enqueue(tx, table, job).has_value());
  std::vector<std::vector<text_value>> rows;
  for (int i = 0; i < 300; ++i) rows.push_back({"many", std::to_string(i)});
  EXPECT_EQ(enqueue_many(tx, table, {"plan_id", "spot_name"}, rows).inserted, 300);
  rows.push_back({"many", "300"});
  EXPECT_EQ(enqueue_many(tx, table, {"plan_id", "spot_name"}, rows).inserted, 1);
  EXPECT_THROW(find_job_table(tx, "unknown"), bad_input);
  EXPECT_TRUE(requeue(tx, "spot_image", dead));
  EXPECT_EQ(requeue_failed(tx, "spot_image", 10), 0);
  tx.commit();
  EXPECT_EQ(lost_jobs(db), "0 0");
}

TEST_F(search_path, does_not_matter_to_the_sql_functions) {
  test_database db;
  for (const std::string name : {"a", "b", "c"}) insert_job(db, name);
  cast_shadows(db);
  pqxx::connection fresh(db.url());
  const auto call = [&](const std::string& sql) {
    pqxx::work tx(fresh);
    const auto answer = tx.exec("SELECT " + sql);
    tx.commit();
    return answer.empty() ? "" : answer[0][0].as<std::string>("");
  };
  const auto claimed = [&] {
    const auto job = nlohmann::json::parse(call("rowrunner.claim('spot_image', 'w')"));
    const auto lease = job["lease"].is_string() ? job["lease"].get<std::string>()
                                                : std::to_string(job["lease"].get<std::int64_t>());
    return "'" + job["id"].get<std::string>() + "', '" + lease + "'";
  };
  EXPECT_EQ(call("rowrunner.succeed('spot_image', " + claimed() + ")"), "t");
  EXPECT_EQ(call("rowrunner.release('spot_image', " + claimed() + ")"), "t");
  EXPECT_EQ(call("rowrunner.fail('spot_image', " + claimed() + ", 'no')"), "queued");
  EXPECT_EQ(call("rowrunner.move_due('{1}')"), "0");
  call("rowrunner.sweep()");
  call("rowrunner.repair('spot_image')");
  call("rowrunner.attach('public.spot_image_jobs', 'spot_image')");
  EXPECT_EQ(lost_jobs(db), "0 0");
  call("rowrunner.new_id()");
}

}  // namespace
}  // namespace rowrunner::testing
