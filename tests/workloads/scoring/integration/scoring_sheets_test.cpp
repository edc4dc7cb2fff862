#include <atomic>

#include "workloads/scoring/support/scoring_fixture.hpp"
#include "workloads/scoring/support/sheets_stand_in.hpp"

namespace rowrunner::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// A spreadsheet with a number, an utterance and a note in each row.
class scoring_sheets : public scoring_fixture {
 protected:
  scoring_sheets() {
    google.set(0, 0, "number");
    google.set(0, 1, "utterance");
    google.set(0, 2, "note");
    for (int row = 1; row <= rows; ++row) {
      google.set(row, 0, row);
      google.set(row, 1, "say " + std::to_string(row));
    }
    google.set(2, 2, "kept");
  }

  process_result score_book(std::vector<std::string> more = {}) const {
    std::vector<std::string> words{
        "run",          "--spreadsheet",   "book",       "--tab",  "It's",
        "--categories", "categories.json", "--provider", "openai", "--model",
        "gpt-test"};
    words.insert(words.end(), more.begin(), more.end());
    return run(words, google.settings());
  }
  void expect_scores(int row) {
    const auto say = "say " + std::to_string(row);
    int column = 3;
    for (const char* category : {"calm", "angry", "price", "delivery"}) {
      EXPECT_EQ(google.cell(row, column++), model_stand_in::score(say, category)) << say;
    }
  }

  static constexpr int rows = 5;
  sheets_stand_in google;
};

TEST_F(scoring_sheets, get_the_scores_into_columns_of_their_own) {
  const auto done = score_book();
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("spreadsheet succeeded"));
  EXPECT_EQ(google.cell(0, 3), "mood: calm");
  EXPECT_EQ(google.cell(0, 6), "topic: delivery");
  for (int row = 1; row <= rows; ++row) expect_scores(row);
  EXPECT_EQ(google.cell(2, 2), "kept");
  EXPECT_EQ(google.cell(3, 1), "say 3");
  EXPECT_THAT(google.problems(), IsEmpty());
  const auto updates = google.updates();
  ASSERT_GE(updates.size(), 2u);
  for (std::size_t i = 1; i < updates.size(); ++i) {
    EXPECT_GE(updates[i] - updates[i - 1], std::chrono::milliseconds(1'150)) << i;
  }
}

TEST_F(scoring_sheets, get_what_a_resumed_run_has_scored) {
  const auto stopped = score_book({"--name", "r", "--max-calls", "4"});
  EXPECT_EQ(stopped.exit_code, 1) << stopped.out;
  EXPECT_EQ(db.value("SELECT status FROM scoring_sheet_jobs"), "succeeded");
  const auto done = run({"resume", "r", "--max-calls", "100"}, google.settings());
  ASSERT_EQ(done.exit_code, 0) << done.err;
  for (int row = 1; row <= rows; ++row) expect_scores(row);
  EXPECT_EQ(db.value("SELECT count(*) FROM scoring_scores WHERE NOT in_sheet"), "0");
}

TEST_F(scoring_sheets, get_what_was_scored_after_a_resume_that_met_their_writer_ending) {
  ASSERT_EQ(score_book({"--name", "r", "--max-calls", "4"}).exit_code, 1);
  ASSERT_EQ(run({"resume", "r", "--max-calls", "100", "--detach"}).exit_code, 0);
  // The resume could not enqueue it, as it was still there, with nothing left to do.
  db.exec("UPDATE scoring_sheet_jobs SET status = 'succeeded'");
  const auto done = run({"wait", "r"}, google.settings());
  ASSERT_EQ(done.exit_code, 0) << done.err;
  for (int row = 1; row <= rows; ++row) expect_scores(row);
  EXPECT_EQ(db.value("SELECT count(*) FROM scoring_scores WHERE NOT in_sheet"), "0");
}

TEST_F(scoring_sheets, are_written_again_only_when_their_writer_has_ended) {
  ASSERT_EQ(score_book({"--name", "r", "--detach"}).exit_code, 0);
  db.exec("INSERT INTO scoring_moved_rows SELECT run_id, 2 FROM scoring_runs");
  const auto refused = run({"write-sheet", "r"}, google.settings());
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.err, HasSubstr("has no spreadsheet, or it is being written"));
  EXPECT_EQ(db.value("SELECT count(*) FROM scoring_moved_rows"), "1");
}

TEST_F(scoring_sheets, have_one_writer_also_when_an_earlier_run_writes_again) {
  ASSERT_EQ(score_book({"--name", "first"}).exit_code, 0);
  ASSERT_EQ(score_book({"--name", "second", "--detach"}).exit_code, 0);
  auto with_book = env();
  for (const auto& [name, value] : google.settings()) with_book[name] = value;
  // It writes no scores, as the chunks wait, and goes on until its run has ended.
  const child_process worker({rowrunner_binary(), "worker", "--kind", "scoring_sheet:2"}, with_book,
                             folder);
  const std::string second =
      "SELECT s.status FROM scoring_sheet_jobs s JOIN scoring_runs r USING (run_id)"
      " WHERE r.name = 'second'";
  db.watch("scoring_sheet_jobs");
  ASSERT_TRUE(db.becomes(second, "processing"));
  db.exec(
      "SELECT rowrunner.enqueue_again('scoring_sheet', s.id) FROM scoring_sheet_jobs s"
      " JOIN scoring_runs r USING (run_id) WHERE r.name = 'first'");
  EXPECT_TRUE(db.becomes(second, "queued"));
}

TEST_F(scoring_sheets, notice_rows_that_are_moved_after_they_were_written) {
  google.set(2, 1, 22);
  google.set(4, 1, true);
  const auto done = score_book({"--name", "r"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  google.set(2, 1, 44);
  google.set(4, 1, false);
  // Only the comparison at the end sees them: they are in the spreadsheet already.
  db.exec("SELECT rowrunner.enqueue_again('scoring_sheet', id) FROM scoring_sheet_jobs");
  const auto again = run({"wait", "r"}, google.settings());
  EXPECT_THAT(again.out, HasSubstr("2 rows of the spreadsheet have another utterance now, the first"
                                   " is row 3"));
  EXPECT_EQ(db.value("SELECT count(*) FROM scoring_moved_rows"), "2");
}

TEST_F(scoring_sheets, that_may_only_be_read_are_refused_before_anything_is_paid) {
  const auto refused = run({"run", "--spreadsheet", "readonly", "--tab", "It's", "--categories",
                            "categories.json", "--provider", "openai", "--model", "gpt-test"},
                           google.settings());
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.err,
              HasSubstr("the spreadsheet cannot be written: Google Sheets answered 403"));
  EXPECT_EQ(db.value("SELECT count(*) FROM scoring_runs"), "0");
  EXPECT_EQ(model.all_asked(), 0);
}

TEST_F(scoring_sheets, a_503_after_the_write_was_applied_makes_no_duplicate) {
  std::atomic<int> times = 0;
  google.answer_after_update([&](http_exchange& to) {
    if (times++ > 0) return false;
    to.answer(503, "{}", {{"retry-after-ms", "10"}});
    return true;
  });
  const auto done = score_book();
  ASSERT_EQ(done.exit_code, 0) << done.err;
  for (int row = 1; row <= rows; ++row) expect_scores(row);
  EXPECT_EQ(google.cell(rows + 1, 3), "");
  EXPECT_EQ(google.cell(0, 7), "");
}

TEST_F(scoring_sheets, a_row_that_was_moved_is_noticed_and_left_alone) {
  std::atomic<bool> swapped = false;
  model.answer_with([&](http_exchange&, const model_stand_in::question&) {
    if (!swapped.exchange(true)) {
      google.set(2, 1, "say 4");
      google.set(4, 1, "say 2");
    }
    return false;
  });
  const auto done = score_book({"--name", "moved"});
  EXPECT_THAT(done.out, HasSubstr("2 rows of the spreadsheet have another utterance now, the first"
                                  " is row 3: their scores are not written"));
  expect_scores(1);
  expect_scores(3);
  EXPECT_EQ(google.cell(2, 3), "");
  EXPECT_EQ(google.cell(4, 3), "");
  google.set(2, 1, "say 2");
  google.set(4, 1, "say 4");
  const auto again = run({"write-sheet", "moved"}, google.settings());
  EXPECT_EQ(again.exit_code, 0) << again.err;
  for (int row = 1; row <= rows; ++row) expect_scores(row);
}

TEST_F(scoring_sheets, a_cell_that_was_overwritten_is_written_again_at_the_end) {
  std::atomic<int> writes = 0;
  google.answer_after_update([&](http_exchange&) {
    // The titles come first, then the scores.
    if (++writes == 2) google.set(3, 4, "oops");
    return false;
  });
  const auto done = score_book();
  ASSERT_EQ(done.exit_code, 0) << done.err;
  expect_scores(3);
}

TEST_F(scoring_sheets, without_permission_are_refused_and_nothing_is_made) {
  const auto refused =
      run({"run", "--spreadsheet", "private", "--tab", "It's", "--categories", "categories.json"},
          google.settings());
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.err, HasSubstr("the spreadsheet cannot be read: Google Sheets answered 403: "
                                     "The caller does not have permission"));
  EXPECT_EQ(db.value("SELECT count(*) FROM scoring_runs"), "0");
  const auto odd =
      run({"run", "--spreadsheet", "../x", "--categories", "categories.json"}, google.settings());
  EXPECT_THAT(odd.err, HasSubstr("'../x' is no id of a spreadsheet"));
}

}  // namespace
}  // namespace rowrunner::testing
