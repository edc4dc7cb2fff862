// A batch with a summary, which runs once, when every part of the batch has ended. Make the tables
// of books.sql, enqueue a book (each line is a chapter), and run:
//   INSERT INTO books (title, body) VALUES ('frog', E'an old pond\na frog jumps in');
//   DATABASE_URL=postgresql://… batch_worker [--drain]

#include <rowrunner/enqueue.hpp>
#include <rowrunner/run_worker.hpp>
#include <sstream>

using boost::asio::awaitable;

namespace {

/// Fan-out: the chapters and the summary that waits for them come to exist with the end of this
/// job, in its transaction, or not at all.
awaitable<rowrunner::outcome> split(rowrunner::job& book) {
  const auto title = book.get<std::string>("title");
  rowrunner::succeeded end;
  std::vector<std::string> chapters;
  std::istringstream body(book.get<std::string>("body"));
  for (std::string line; std::getline(body, line);) {
    chapters.push_back(rowrunner::new_job_id());
    end.effects.push_back({"INSERT INTO chapters (id, title, body) VALUES ($1, $2, $3)",
                           {chapters.back(), title, line}});
  }
  const auto summary = rowrunner::new_job_id();
  end.effects.push_back({"INSERT INTO summaries (id, title) VALUES ($1, $2)", {summary, title}});
  end.effects.push_back(rowrunner::run_after_effect({"summary", summary, "chapter", chapters}));
  co_return end;
}

awaitable<rowrunner::outcome> count(rowrunner::job& chapter) {
  std::istringstream body(chapter.get<std::string>("body"));
  int words = 0;
  for (std::string word; body >> word;) ++words;
  if (words == 0) co_return rowrunner::final_failure("the chapter is empty");
  rowrunner::succeeded end;
  end.effects.push_back(
      {"UPDATE chapters SET words = $2 WHERE id = $1", {chapter.id(), std::to_string(words)}});
  co_return end;
}

/// Join: every chapter has ended, well or not. With when_failed::cancel or hold in the join, one
/// that failed would cancel the summary, or hold it until the chapter has succeeded.
awaitable<rowrunner::outcome> summarize(rowrunner::job& summary) {
  rowrunner::succeeded end;
  end.effects.push_back(
      {"UPDATE summaries SET (words, unread) = (SELECT sum(c.words), count(*) - count(c.words)"
       " FROM chapters c WHERE c.title = $2) WHERE id = $1",
       {summary.id(), summary.get<std::string>("title")}});
  co_return end;
}

rowrunner::kind_options kind(const char* name, std::vector<std::string> columns) {
  rowrunner::kind_options options;
  options.kind = name;
  options.columns = std::move(columns);
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  return rowrunner::run_worker(argc, argv,
                               {{kind("book", {"title", "body"}), split},
                                {kind("chapter", {"body"}), count},
                                {kind("summary", {"title"}), summarize}});
}
