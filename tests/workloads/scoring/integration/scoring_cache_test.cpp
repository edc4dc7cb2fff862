#include <nlohmann/json.hpp>

#include "workloads/scoring/support/scoring_fixture.hpp"

namespace rowrunner::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

using scoring_cache = scoring_fixture;
using scoring_writes = scoring_fixture;

TEST_F(scoring_cache, entries_are_the_documents) {
  write_sheet(1);
  ASSERT_EQ(ask_model().exit_code, 0);
  const auto cache = json::parse(run({"cache"}).out);
  ASSERT_EQ(cache.size(), 2u);
  const auto& entry = *cache.begin();
  EXPECT_EQ(entry.size(), 2u);
  EXPECT_TRUE(entry.at("ts").is_number());
  EXPECT_EQ(entry.at("value").size(), 4u);
  EXPECT_EQ(entry.at("value").at("scores").size(), 2u);
  EXPECT_EQ(entry.at("value").at("provider"), "openai");
  EXPECT_EQ(entry.at("value").at("model"), "gpt-test");
  EXPECT_THAT(entry.at("value").at("timestamp").get<std::string>(),
              ::testing::MatchesRegex("....-..-..T..:..:..Z"));
}

TEST_F(scoring_cache, forgets_after_its_time) {
  write_sheet(5);
  ASSERT_EQ(ask_model().exit_code, 0);
  db.exec("UPDATE scoring_cache SET ts = ts - interval '23 hours'");
  ASSERT_EQ(ask_model().exit_code, 0);
  EXPECT_EQ(model.all_asked(), 10);
  db.exec("UPDATE scoring_cache SET ts = ts - interval '2 hours'");
  ASSERT_EQ(ask_model().exit_code, 0);
  EXPECT_EQ(model.all_asked(), 20);
}

TEST_F(scoring_cache, keeps_the_newest) {
  write_sheet(30);
  db.exec(
      "CREATE TABLE stored (key text, ts timestamptz); GRANT INSERT ON stored TO PUBLIC;"
      "CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN"
      "  INSERT INTO public.stored VALUES (NEW.key, NEW.ts); RETURN NULL; END$$;"
      "CREATE TRIGGER note AFTER INSERT ON scoring_cache FOR EACH ROW EXECUTE FUNCTION note()");
  const auto done = run({"run", "--sheet", "sheet.csv", "--categories", "categories.json", "--out",
                         "out.csv", "--provider", "openai", "--model", "gpt-test"},
                        {{"SCORING_CACHE_ENTRIES", "10"}});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(read("out.csv"), expected(30));
  EXPECT_EQ(db.value("SELECT count(*) FROM stored"), "60");
  EXPECT_EQ(db.value("SELECT array_agg(key ORDER BY key) = (SELECT array_agg(s.key ORDER BY s.key)"
                     "  FROM (SELECT key FROM stored ORDER BY ts DESC, key DESC LIMIT 10) s)"
                     " FROM scoring_cache"),
            "t");
}

TEST_F(scoring_cache, an_answer_is_kept_also_if_its_chunk_fails) {
  write_sheet(2);
  model.answer_with([](http_exchange& to, const model_stand_in::question& asked) {
    if (asked.utterance != "say 2") return false;
    to.answer(400, "{}");
    return true;
  });
  EXPECT_EQ(ask_model({"--chunk-retry-limit", "1"}).exit_code, 1);
  EXPECT_EQ(db.value("SELECT count(*) FROM scoring_cache"), "2");
  EXPECT_EQ(db.value("SELECT count(*) FROM scoring_scores"), "2");
}

TEST_F(scoring_writes, that_are_refused_fail_the_chunk_after_five_tries) {
  write_sheet(3);
  db.exec(
      "CREATE SEQUENCE tries; GRANT ALL ON SEQUENCE tries TO PUBLIC;"
      "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN"
      "  PERFORM nextval('public.tries'); RAISE EXCEPTION 'no room'; END$$;"
      "CREATE TRIGGER refuse BEFORE INSERT ON scoring_scores FOR EACH STATEMENT"
      " EXECUTE FUNCTION refuse()");
  const auto failed = score({"--name", "r", "--chunk-retry-limit", "1"});
  EXPECT_EQ(failed.exit_code, 1);
  EXPECT_THAT(failed.err, HasSubstr("no room"));
  EXPECT_EQ(db.value("SELECT last_value FROM tries"), "5");
  db.exec("DROP TRIGGER refuse ON scoring_scores");
  const auto done = run({"resume", "r", "--out", "out.csv"});
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(db.value("SELECT count(*) FROM scoring_scores"), "6");
}

}  // namespace
}  // namespace rowrunner::testing
