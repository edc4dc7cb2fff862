// The examples do what their comments say.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/paths.hpp"
#include "support/postgres.hpp"
#include "support/process.hpp"

namespace rowrunner::testing {
namespace {

using ::testing::HasSubstr;
const std::string examples = source_dir() + "/examples";

class examples_of_use : public ::testing::Test {
 protected:
  examples_of_use() {
    const auto made = run_process({"psql", "-qv", "ON_ERROR_STOP=1", "-d", db.url(), "-f",
                                   examples + "/own_table/thumbnails.sql"});
    EXPECT_EQ(made.exit_code, 0) << made.err;
  }
  process_result run(std::vector<std::string> argv) {
    return run_process(argv, {{"DATABASE_URL", db.url()}});
  }

  test_database db;
};

TEST_F(examples_of_use, own_table_enqueued_in_a_transaction_and_run) {
  const auto enqueued =
      run({examples_dir() + "/enqueue_in_transaction", "a.png", "b.png", "a.png"});
  EXPECT_EQ(enqueued.exit_code, 0) << enqueued.err;
  EXPECT_THAT(enqueued.out, HasSubstr("a.png is enqueued already"));
  const auto worked = run({examples_dir() + "/own_table_worker", "--drain"});
  EXPECT_EQ(worked.exit_code, 0) << worked.err;
  EXPECT_EQ(db.value("SELECT string_agg(file, ' ' ORDER BY file) FROM thumbnails_made"),
            "small/200/a.png small/200/b.png");
  EXPECT_EQ(db.value("SELECT count(*) FROM thumbnails WHERE status = 'succeeded'"), "2");
}

TEST_F(examples_of_use, a_book_is_read_page_by_page) {
  const auto made = run_process(
      {"psql", "-qv", "ON_ERROR_STOP=1", "-d", db.url(), "-f", examples + "/pages/books.sql"});
  ASSERT_EQ(made.exit_code, 0) << made.err;
  db.exec("INSERT INTO books (title, pages) VALUES ('atlas', 30)");
  const auto worked = run({examples_dir() + "/pages_worker", "--drain"});
  EXPECT_EQ(worked.exit_code, 0) << worked.err;
  EXPECT_EQ(db.value("SELECT status FROM books"), "succeeded");
  EXPECT_EQ(db.value("SELECT count(*) || ' ' || count(DISTINCT page) FROM pages_read"), "30 30");
  EXPECT_EQ(db.value("SELECT done || '/' || total FROM rowrunner.progress"), "30/30");
}

TEST_F(examples_of_use, a_batch_has_a_summary_when_every_part_has_ended) {
  const auto made = run_process(
      {"psql", "-qv", "ON_ERROR_STOP=1", "-d", db.url(), "-f", examples + "/batch/books.sql"});
  ASSERT_EQ(made.exit_code, 0) << made.err;
  db.exec(
      "INSERT INTO books (title, body) VALUES ('frog', E'an old pond\na frog jumps in\n\nsplash'),"
      " ('empty', '')");
  const auto worked = run({examples_dir() + "/batch_worker", "--drain"});
  EXPECT_EQ(worked.exit_code, 0) << worked.err;
  EXPECT_EQ(db.value("SELECT string_agg(concat_ws(' ', title, status, words, unread), ', '"
                     " ORDER BY title) FROM summaries"),
            "empty succeeded 0, frog succeeded 8 1");
  EXPECT_EQ(db.value("SELECT string_agg(DISTINCT status, ' ' ORDER BY status) FROM chapters"),
            "failed succeeded");
  EXPECT_EQ(db.value("SELECT count(*) FROM rowrunner.waits"), "0");
}

TEST_F(examples_of_use, a_worker_in_another_language) {
  db.exec("INSERT INTO public.thumbnails (picture) VALUES ('x.png'), ('y.png')");
  const auto worked = run({"/usr/bin/python3", examples + "/other_language/worker.py"});
  EXPECT_EQ(worked.exit_code, 0) << worked.err;
  EXPECT_EQ(worked.out, "shrinking x.png\nshrinking y.png\n");
  EXPECT_EQ(db.value("SELECT count(*) FROM public.thumbnails WHERE status = 'succeeded'"), "2");
  EXPECT_EQ(db.value("SELECT string_agg(file, ' ' ORDER BY file) FROM public.thumbnails_made"),
            "small/200/x.png small/200/y.png");
  EXPECT_EQ(db.value("SELECT count(*) FROM rowrunner.leases"), "0");
  EXPECT_EQ(db.value("SELECT sum(succeeded) FROM rowrunner.counters"), "2");
  EXPECT_EQ(db.value("SELECT count(*) FROM rowrunner.workers WHERE worker LIKE 'python:%'"), "1");
  EXPECT_EQ(db.value("SELECT string_agg(done || '/' || total, ' ') FROM rowrunner.progress"),
            "1/2 1/2");
  EXPECT_EQ(
      db.value("SELECT string_agg(picture, ' ' ORDER BY picture) FROM public.thumbnail_costs"),
      "x.png y.png");
}

// What an earlier attempt has stored as a step is not done again.
TEST_F(examples_of_use, a_worker_in_another_language_goes_on_where_another_one_was_lost) {
  db.exec("INSERT INTO public.thumbnails (picture) VALUES ('x.png'), ('y.png')");
  db.exec(
      "SELECT rowrunner.step('thumbnail', (c->>'id')::uuid, (c->>'lease')::bigint, 'shrink',"
      " to_jsonb('earlier/' || (c->>'picture')))"
      " FROM rowrunner.claim('thumbnail', 'lost', 2, '1 us') c");
  const auto worked = run({"/usr/bin/python3", examples + "/other_language/worker.py"});
  EXPECT_EQ(worked.exit_code, 0) << worked.err;
  EXPECT_EQ(worked.out, "");
  EXPECT_EQ(db.value("SELECT string_agg(file, ' ' ORDER BY file) FROM public.thumbnails_made"),
            "earlier/x.png earlier/y.png");
  EXPECT_EQ(db.value("SELECT count(*) FROM public.thumbnail_costs"), "0");
}

}  // namespace
}  // namespace rowrunner::testing
