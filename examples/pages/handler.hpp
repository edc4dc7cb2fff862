#pragma once

#include <rowrunner/worker.hpp>
#include <string>

namespace pages {

/// Each page is a step that carries its row: both are stored, or neither. A worker that is killed
/// has lost only the page that it was reading, and is not charged for it if it had read others.
inline boost::asio::awaitable<rowrunner::outcome> read_book(rowrunner::job& job) {
  const auto title = job.get<std::string>("title");
  const int count = job.get<int>("pages");
  for (int page = 1; page <= count; ++page) {
    const auto number = std::to_string(page);
    const auto read = [&]() -> boost::asio::awaitable<rowrunner::step_result> {
      // Work that takes time runs on a thread of the pool.
      const std::string words =
          co_await job.blocking([&] { return "words of " + title + ", page " + number; });
      rowrunner::step_result done(words.size());
      done.effects.push_back({"INSERT INTO pages_read (title, page, words) VALUES ($1, $2, $3)",
                              {title, number, words}});
      co_return done;
    };
    co_await job.step("page " + number, read);
    co_await job.progress(page, count, "read");
  }
  co_return rowrunner::succeeded{};
}

}  // namespace pages
