// Handlers whose steps and blocking work capture more than references, as job.hpp says to write
// them.

#include <gtest/gtest.h>

#include "support/jobs_database.hpp"
#include "support/worker_thread.hpp"

namespace rowrunner::testing {
namespace {

namespace asio = boost::asio;

asio::awaitable<outcome> capture(job& self) {
  const std::string text = self.text("name") + " and more than fits into the string itself";
  const auto measure = [text]() -> asio::awaitable<nlohmann::json> { co_return text.size(); };
  const auto length = co_await self.step("length", measure);
  const auto join = [text, extra = std::make_shared<std::string>(text)] { return text + *extra; };
  const std::string twice = co_await self.blocking(join);
  const auto nothing = [text] {};
  co_await self.blocking(nothing);
  // References and numbers may be captured in place.
  const auto again = co_await self.blocking([&text] { return text.size(); });
  if (twice != text + text || length != again) co_return final_failure("captures were lost");
  co_return succeeded{};
}

TEST(captures, of_named_lambdas_are_destroyed_once) {
  jobs_database db;
  for (int i = 0; i < 20; ++i) db.add("job " + std::to_string(i));
  auto options = worker_thread::options_for(db);
  options.drain = true;
  worker_thread one(options, [](worker& w) { w.add(test_kind(), capture); });
  EXPECT_EQ(one.join().succeeded, 20);
}

}  // namespace
}  // namespace rowrunner::testing
