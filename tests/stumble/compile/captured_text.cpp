// What a new user writes first. g++ before 13 would free `text` twice, so there it must not
// compile, and the error must say what to write instead; other compilers take it.

#include <rowrunner/job.hpp>

boost::asio::awaitable<void> handle(rowrunner::job& job) {
  const std::string text = "a text that is too long for the buffer inside of a string";
#ifdef IN_A_STEP
  co_await job.step("length",
                    [text]() -> boost::asio::awaitable<nlohmann::json> { co_return text.size(); });
#else
  co_await job.blocking([text] { return text.size(); });
#endif
}
