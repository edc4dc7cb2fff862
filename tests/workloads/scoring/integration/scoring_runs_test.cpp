#include <nlohmann/json.hpp>

#include "workloads/scoring/support/scoring_fixture.hpp"

namespace rowrunner::testing {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

using scoring_runs = scoring_fixture;

TEST_F(scoring_runs, a_sheet_is_scored_by_the_embedded_model_and_written) {
  write("sheet.csv", "id,utterance\n1,delivery was late\n2,\n3,\"=angry, very\"\n");
  const auto done = score({"--name", "first"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("run first is completed: 3 of 3 rows, 6 of 6 blocks"));
  const auto out = read("out.csv");
  EXPECT_THAT(out,
              HasSubstr("id,utterance,mood: calm,mood: angry,topic: price,topic: delivery\r\n"));
  EXPECT_THAT(out, HasSubstr(",1\r\n2,,,,,\r\n3,\"'=angry, very\","));
  const auto again = run({"export", "first"});
  EXPECT_EQ(again.out, out);
}

TEST_F(scoring_runs, chunks_have_five_hundred_rows_and_the_documents_json) {
  write_sheet(501);
  const auto done = ask_model({"--name", "r", "--concurrency", "20"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(read("out.csv"), expected(501));
  EXPECT_THAT(model.problems(), IsEmpty());
  EXPECT_EQ(model.all_asked(), 1002);
  const auto chunks = json::parse(run({"chunks", "r", "--json"}).out);
  ASSERT_EQ(chunks.size(), 2u);
  EXPECT_EQ(chunks[0]["chunk_id"], "chunk-0001");
  EXPECT_EQ(chunks[0]["row_start"], 1);
  EXPECT_EQ(chunks[0]["row_end"], 500);
  EXPECT_EQ(chunks[1]["row_start"], 501);
  EXPECT_EQ(chunks[1]["row_end"], 501);
  EXPECT_EQ(chunks[1]["status"], "completed");
  EXPECT_EQ(chunks[1]["retry_count"], 0);
  EXPECT_TRUE(chunks[1]["last_error"].is_null());
  EXPECT_THAT(chunks[1]["updated_at"].get<std::string>(),
              ::testing::MatchesRegex("....-..-..T..:..:..Z"));
}

TEST_F(scoring_runs, the_checkpoint_is_the_documents) {
  write_sheet(2);
  ASSERT_EQ(ask_model({"--name", "r"}).exit_code, 0);
  const auto checkpoint = json::parse(run({"checkpoint", "r"}).out);
  EXPECT_THAT(checkpoint.at("completed_blocks"), ElementsAre("1:0", "1:1", "2:0", "2:1"));
  EXPECT_TRUE(checkpoint.at("updated_at").is_string());
  const auto status = json::parse(run({"show", "r", "--json"}).out);
  EXPECT_EQ(status["processed_rows"], 2);
  EXPECT_EQ(status["processed_blocks"], 4);
}

TEST_F(scoring_runs, gemini_is_asked_as_its_documentation_says) {
  write_sheet(3);
  const auto done = score({"--provider", "gemini", "--model", "flash"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(model.problems(), IsEmpty());
  EXPECT_EQ(read("out.csv"), expected(3));
}

TEST_F(scoring_runs, a_second_run_over_the_same_sheet_asks_nothing) {
  write_sheet(30);
  ASSERT_EQ(ask_model().exit_code, 0);
  const auto asked = model.all_asked();
  const auto again = ask_model({"--name", "again"});
  ASSERT_EQ(again.exit_code, 0) << again.err;
  EXPECT_EQ(model.all_asked(), asked);
  EXPECT_THAT(again.out, HasSubstr("0 calls, 60 from the cache"));
  EXPECT_EQ(read("out.csv"), expected(30));
}

TEST_F(scoring_runs, the_same_utterance_on_several_workers_is_asked_once) {
  std::string sheet = "utterance\n";
  for (int i = 0; i < 2'000; ++i) sheet += "the same\n";
  write("sheet.csv", sheet);
  write("categories.json", R"([{"name": "mood", "categories": ["calm"]}])");
  std::vector<std::unique_ptr<child_process>> workers;
  for (int i = 0; i < 3; ++i) {
    workers.push_back(start({"worker", "--kind", "scoring_chunk:1", "--kind", "scoring_run"}));
  }
  const auto done = ask_model({"--no-worker"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(model.all_asked(), 1);
}

TEST_F(scoring_runs, a_bad_answer_is_asked_for_again_with_the_mistake_named) {
  write_sheet(3);
  std::string second;
  model.answer_with([&](http_exchange& to, const model_stand_in::question& asked) {
    if (asked.utterance != "say 2" || asked.block != "mood") return false;
    if (asked.times_before == 0) {
      model_stand_in::answer_text(to, R"(Sure! {"scores": {"calm": 0.1}})");
      return true;
    }
    second = asked.text;
    return false;
  });
  const auto done = ask_model();
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(read("out.csv"), expected(3));
  EXPECT_EQ(model.asked("say 2", "mood"), 2);
  EXPECT_EQ(model.asked("say 2", "topic"), 1);
  EXPECT_THAT(second, HasSubstr("Your last answer could not be used: the answer is not the JSON"));
}

/// Row 2 can never be scored.
void refuse_row_2(model_stand_in& model) {
  model.answer_with([](http_exchange& to, const model_stand_in::question& asked) {
    if (asked.utterance != "say 2" || asked.block != "mood") return false;
    model_stand_in::answer_text(to, "no");
    return true;
  });
}

TEST_F(scoring_runs, a_row_that_cannot_be_scored_fails_the_run_and_keeps_the_rest) {
  write_sheet(3);
  refuse_row_2(model);
  const auto failed = ask_model({"--name", "r", "--max-retries", "1", "--chunk-retry-limit", "1"});
  EXPECT_EQ(failed.exit_code, 1) << failed.out;
  EXPECT_THAT(failed.err,
              HasSubstr("chunk-0001: row 3, block 0 (mood): the answer is not the JSON"));
  EXPECT_FALSE(exists("out.csv"));
  EXPECT_EQ(model.asked("say 2", "mood"), 2);
  EXPECT_EQ(model.all_asked(), 7);
  model.answer_with(nullptr);
  const auto resumed = run({"resume", "r", "--out", "out.csv"});
  ASSERT_EQ(resumed.exit_code, 0) << resumed.err;
  EXPECT_EQ(model.all_asked(), 8);
  EXPECT_EQ(read("out.csv"), expected(3));
}

TEST_F(scoring_runs, a_failed_chunk_runs_again_with_the_documents_count) {
  write_sheet(3);
  refuse_row_2(model);
  const auto failed = ask_model({"--name", "r", "--max-retries", "0", "--chunk-retry-limit", "2"});
  EXPECT_EQ(failed.exit_code, 1);
  EXPECT_EQ(model.asked("say 2", "mood"), 2);
  EXPECT_EQ(model.all_asked(), 7);
  const auto chunk = json::parse(run({"chunks", "r", "--json"}).out).at(0);
  EXPECT_EQ(chunk["status"], "failed");
  EXPECT_EQ(chunk["retry_count"], 2);
  EXPECT_THAT(chunk["last_error"].get<std::string>(), HasSubstr("row 3, block 0 (mood)"));
}

TEST_F(scoring_runs, that_keep_going_complete_and_list_what_failed) {
  write_sheet(3);
  refuse_row_2(model);
  const auto done = ask_model({"--name", "r", "--keep-going", "--max-retries", "0"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("1 failed (1 of its blocks could not be scored)"));
  EXPECT_THAT(read("out.csv"), HasSubstr("say 2,2,,,"));
  const auto failures = json::parse(run({"failures", "r", "--json"}).out);
  ASSERT_EQ(failures.size(), 1u);
  EXPECT_EQ(failures[0]["row_index"], 2);
  EXPECT_EQ(failures[0]["block_index"], 0);
  model.answer_with(nullptr);
  const auto again = run({"retry-failed", "r", "--out", "out.csv"});
  ASSERT_EQ(again.exit_code, 0) << again.err;
  EXPECT_EQ(model.all_asked(), 7);
  EXPECT_EQ(read("out.csv"), expected(3));
  EXPECT_THAT(run({"retry-failed", "r"}).err, HasSubstr("has no failed rows"));
}

TEST_F(scoring_runs, that_keep_going_retry_only_what_failed) {
  write_sheet(500);
  write("categories.json", R"([{"name": "mood", "categories": ["calm"]}])");
  const auto refused = [](const std::string& say) {
    return say == "say 7" || say == "say 250" || say == "say 500";
  };
  model.answer_with([&](http_exchange& to, const model_stand_in::question& asked) {
    if (!refused(asked.utterance)) return false;
    model_stand_in::answer_text(to, R"({"scores": {"calm": 2}})");
    return true;
  });
  const auto done =
      ask_model({"--name", "r", "--keep-going", "--max-retries", "0", "--concurrency", "20"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(db.value("SELECT count(*) FROM scoring_scores"), "497");
  EXPECT_THAT(done.out, HasSubstr("3 of its blocks could not be scored"));
  const auto failures = json::parse(run({"failures", "r", "--json"}).out);
  ASSERT_EQ(failures.size(), 3u);
  EXPECT_EQ(failures[1]["row_index"], 250);
  EXPECT_EQ(failures[1]["block_index"], 0);
  EXPECT_EQ(failures[1]["reason"], "the answer does not fit: no score from 0 to 1 for 'calm'");
  model.answer_with(nullptr);
  const auto before = model.log().size();
  ASSERT_EQ(run({"retry-failed", "r", "--out", "out.csv"}).exit_code, 0);
  const auto log = model.log();
  ASSERT_EQ(log.size() - before, 3u);
  for (auto i = before; i < log.size(); ++i) EXPECT_TRUE(refused(log[i].utterance)) << i;
  EXPECT_EQ(db.value("SELECT count(*) FROM scoring_scores"), "500");
}

TEST_F(scoring_runs, an_answer_that_is_cut_in_the_middle_is_asked_for_again) {
  write_sheet(3);
  model.answer_with([](http_exchange& to, const model_stand_in::question& asked) {
    if (asked.utterance != "say 2" || asked.times_before > 0) return false;
    to.write(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n"
        R"({"choices": [{"mess)");
    to.close();
    return true;
  });
  const auto done = ask_model({"--max-retries", "1"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(read("out.csv"), expected(3));
  EXPECT_EQ(model.all_asked(), 8);
}

TEST_F(scoring_runs, a_sheet_with_a_byte_order_mark_is_written_with_one) {
  write_sheet(2);
  write("sheet.csv", "\xef\xbb\xbf" + read("sheet.csv"));
  ASSERT_EQ(ask_model({"--name", "r"}).exit_code, 0);
  EXPECT_EQ(read("out.csv"), "\xef\xbb\xbf" + expected(2));
}

TEST_F(scoring_runs, pages_of_the_export_are_bounded_by_bytes) {
  std::string text = "utterance,n\r\n";
  for (int i = 1; i <= 40; ++i)
    text += std::string(200'000, 'x') + "," + std::to_string(i) + "\r\n";
  write("sheet.csv", text);
  write("categories.json", R"([{"name": "mood", "categories": ["calm"]}])");
  ASSERT_EQ(score({"--name", "r"}).exit_code, 0);
  const auto out = read("out.csv");
  EXPECT_EQ(std::count(out.begin(), out.end(), '\n'), 41);
  EXPECT_THAT(out, HasSubstr("x,40,"));
}

TEST_F(scoring_runs, a_429_is_no_attempt) {
  write_sheet(3);
  model.answer_with([](http_exchange& to, const model_stand_in::question& asked) {
    if (asked.times_before >= 3) return false;
    to.answer(429, "{}", {{"retry-after-ms", "5"}});
    return true;
  });
  const auto done = ask_model({"--max-retries", "0"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(read("out.csv"), expected(3));
}

TEST_F(scoring_runs, a_dead_key_ends_the_run_without_another_call_and_without_the_key) {
  // Ten chunks, of which four run at a time.
  write_sheet(4'501);
  model.answer_with([](http_exchange& to, const model_stand_in::question&) {
    to.answer(401, R"({"error": {"message": "Incorrect API key provided: secret-key"}})");
    return true;
  });
  const auto failed = ask_model({"--concurrency", "2"});
  EXPECT_EQ(failed.exit_code, 1);
  EXPECT_THAT(failed.err, HasSubstr("openai answered 401: Incorrect API key provided: ***"));
  EXPECT_LE(model.all_asked(), 2);
  EXPECT_EQ(db.value("SELECT count(*) FROM scoring_chunk_jobs WHERE status = 'failed'"), "10");
}

TEST_F(scoring_runs, a_budget_of_calls_is_never_overshot_and_can_be_raised) {
  write_sheet(100);
  const auto stopped = ask_model({"--name", "r", "--max-calls", "37", "--concurrency", "50"});
  EXPECT_EQ(stopped.exit_code, 1);
  EXPECT_THAT(stopped.err, HasSubstr("the budget of the run is used up"));
  EXPECT_EQ(model.all_asked(), 37);
  const auto done = run({"resume", "r", "--max-calls", "200", "--out", "out.csv"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(model.all_asked(), 200);
  EXPECT_EQ(read("out.csv"), expected(100));
  // The command that made it is still right, but none for more than there is.
  const auto same = ask_model({"--name", "r", "--max-calls", "37", "--concurrency", "50"});
  EXPECT_EQ(same.exit_code, 0) << same.err;
  EXPECT_EQ(ask_model({"--name", "r", "--max-calls", "201", "--concurrency", "50"}).exit_code, 1);
}

TEST_F(scoring_runs, are_timed_from_when_a_worker_starts_with_them) {
  write_sheet(2);
  ASSERT_EQ(ask_model({"--name", "r", "--detach"}).exit_code, 0);
  db.exec("UPDATE scoring_runs SET round_began_at = now() - interval '1 hour'");
  const auto done = run({"wait", "r", "--out", "out.csv"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(db.value("SELECT ended_at - round_began_at < interval '30 minutes' FROM scoring_runs"),
            "t");
}

TEST_F(scoring_runs, a_budget_of_cost_is_never_overshot) {
  write_sheet(100);
  // 100 tokens at 10 and 20 at 100 a million: 0.003 a call.
  const auto stopped = ask_model({"--name", "r", "--max-cost", "0.1", "--concurrency", "50"});
  EXPECT_EQ(stopped.exit_code, 1) << stopped.out;
  EXPECT_LE(model.all_asked(), 33);
  EXPECT_GE(model.all_asked(), 1);
  EXPECT_EQ(db.value("SELECT cost <= max_cost FROM scoring_budgets"), "t");
}

TEST_F(scoring_runs, fall_back_to_what_there_is_and_do_not_cache_it) {
  write_sheet(1);
  model.answer_with([](http_exchange& to, const model_stand_in::question& asked) {
    if (asked.block != "mood") return false;
    model_stand_in::answer_text(to, R"({"scores": {"calm": 0.5}})");
    return true;
  });
  const auto done = ask_model({"--fallback", "--max-retries", "1"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(read("out.csv"), HasSubstr("say 1,1,0.5,,"));
  EXPECT_EQ(db.value("SELECT count(*) FROM scoring_cache"), "1");
}

TEST_F(scoring_runs, the_example_is_scored_without_any_key) {
  const auto example = source_dir() + "/examples/scoring/";
  const auto done = run({"run", "--sheet", example + "utterances.csv", "--categories",
                         example + "categories.json", "--out", "out.csv"},
                        {{"OPENAI_API_KEY", std::nullopt}, {"GEMINI_API_KEY", std::nullopt}});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("245 of 245 rows, 490 of 490 blocks"));
  const auto out = read("out.csv");
  EXPECT_THAT(out, HasSubstr("id,utterance,language,topic: delivery,topic: price,"));
  EXPECT_THAT(out, HasSubstr("'=SUM(1"));
  EXPECT_EQ(db.value("SELECT count(*) FROM scoring_scores WHERE scores[1] BETWEEN 0 AND 1"), "488");
  EXPECT_EQ(db.value("SELECT avg(s.scores[1]) FILTER (WHERE r.cells[2] ~ 'late|shipped|届|配') >"
                     "       avg(s.scores[1]) FILTER (WHERE r.cells[2] ~ 'penny|cheaper|満足')"
                     " FROM scoring_scores s JOIN scoring_rows r USING (run_id, row_index)"
                     " WHERE s.block_index = 0"),
            "t");
}

}  // namespace
}  // namespace rowrunner::testing
