// Gemini under the limit that all workers share: plans in a real PostgreSQL, and a stand-in.
#include <atomic>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <fstream>

#include "common/http/client.hpp"
#include "common/scratch_folder.hpp"
#include "support/http_stand_in.hpp"
#include "support/paths.hpp"
#include "workloads/limits/integration/limits_fixture.hpp"
#include "workloads/providers/gemini.hpp"

namespace rowrunner::testing {
namespace {

using providers::page_input;
using ::testing::HasSubstr;

constexpr const char* key = "gemini:gemini-2.5-flash";
constexpr const char* path = "POST /v1beta/models/gemini-2.5-flash:generateContent";
constexpr const char* good =
    R"({"candidates":[{"content":{"parts":[{"text":"read"}]},"finishReason":"STOP"}],
        "usageMetadata":{"promptTokenCount":300,"candidatesTokenCount":7}})";

class gemini_limits : public limits_test {
 protected:
  gemini_limits() {
    std::ofstream(file_) << "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n"
                            "2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n"
                            "3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]>>endobj\n"
                            "trailer<</Root 1 0 R>>\n%%EOF\n";
  }

  limits::service& limits() {
    if (!shared_) {
      shared_ = &process({{"LIMIT_GEMINI_GEMINI_2_5_FLASH", "requests=200/s"}}).limits;
    }
    return *shared_;
  }
  /// The text, or the error.
  asio::awaitable<std::string> read() {
    auto how = providers::gemini_settings(env_);
    how.patience = patience_;
    providers::gemini from(std::move(how), http_, children_, run_inline, &limits());
    const job_view self(nullptr);
    page_input page;
    page.file = file_;
    try {
      const auto out = co_await from.read(self, std::move(page));
      co_return out.text;
    } catch (const providers::provider_error& why) {
      co_return std::string("error: ") + why.what();
    } catch (const providers::service_busy& why) {
      back_after_ = why.after;
      co_return "busy";
    }
  }
  /// Answers the first calls otherwise.
  void refuse(int times, int status, std::string body, http_exchange::fields headers = {}) {
    server_.on(path, [this, times, status, body, headers](http_exchange& x) {
      if (++calls_ <= times) {
        x.answer(status, body, headers);
      } else {
        x.answer(200, good);
      }
    });
  }
  limits::counters counted() { return limits().count().at(0); }

  const scratch_folder folder_;
  const std::filesystem::path file_ = folder_.path() / "one.pdf";
  http_stand_in server_;
  const environment env_{{{"GEMINI_API_KEY", "sesame"},
                          {"GEMINI_BASE_URL", server_.url("/v1beta")},
                          {"CHILD_PROGRAM", rowrunner_binary()},
                          {"CHILD_PROCESSES", "1"}}};
  http::client http_{io_.get_executor()};
  child::pool children_{io_.get_executor(), child::options_from(env_)};
  limits::service* shared_ = nullptr;
  std::atomic<int> calls_ = 0;
  std::chrono::milliseconds patience_ = 10min;
  std::chrono::milliseconds back_after_{0};
};

TEST_F(gemini_limits, a_429_waits_for_another_permit_and_is_no_failure_of_the_page) {
  refuse(4, 429, R"({"error":{"message":"busy"}})");
  EXPECT_EQ(run(read()), "read");
  EXPECT_EQ(calls_, 5);
  EXPECT_EQ(counted().rejected, 4);
  EXPECT_EQ(counted().succeeded, 1);
  EXPECT_EQ(counted().tokens, 307);
}

TEST_F(gemini_limits, a_503_that_names_a_time_is_waited_for_and_one_without_is_a_failure) {
  refuse(1, 503,
         R"({"error":{"message":"soon","details":[
             {"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"0.5s"}]}})");
  EXPECT_EQ(run(read()), "read");
  EXPECT_GE(counted().blocks, 1);
  calls_ = 0;
  refuse(1, 503, R"({"error":{"message":"down"}})");
  EXPECT_EQ(run(read()), "error: Gemini answered 503: down");
  EXPECT_EQ(calls_, 1);
}

TEST_F(gemini_limits, a_long_retry_after_holds_the_page_and_does_not_lose_it) {
  patience_ = 2h;
  refuse(1, 429, "{}", {{"Retry-After", "3600"}});
  asio::cancellation_signal stop;
  std::string text = "waits";
  bool cancelled = false;
  asio::co_spawn(io_, read(),
                 asio::bind_cancellation_slot(
                     stop.slot(), [&](const std::exception_ptr& thrown, std::string found) {
                       cancelled = thrown != nullptr;
                       if (!thrown) text = std::move(found);
                     }));
  const auto waits = [this]() -> asio::awaitable<void> {
    for (auto found = limits().look(key); !found || !found->blocked_until || found->waiting == 0;
         found = limits().look(key)) {
      co_await pause(5ms);
    }
  };
  run(waits());
  EXPECT_EQ(text, "waits");
  EXPECT_EQ(calls_, 1);
  stop.emit(asio::cancellation_type::terminal);
  while (!cancelled) io_.run_one_for(30s);
  EXPECT_EQ(text, "waits");
}

TEST_F(gemini_limits, a_longer_retry_after_than_a_page_waits_gives_the_job_back) {
  refuse(1, 429, "{}", {{"Retry-After", "3600"}});
  EXPECT_EQ(run(read()), "busy");
  EXPECT_EQ(calls_, 1);
  EXPECT_GT(back_after_, 50min);
  EXPECT_LE(back_after_, 61min);
}

TEST_F(gemini_limits, a_page_that_gets_no_permit_in_time_gives_the_job_back) {
  // The first plan takes longer.
  patience_ = 1ms;
  refuse(0, 429, "{}");
  EXPECT_EQ(run(read()), "busy");
  EXPECT_EQ(calls_, 0);
  EXPECT_EQ(back_after_, 1min);
}

TEST_F(gemini_limits, rate_limit_headers_are_learned_from) {
  server_.on(path, [](http_exchange& x) {
    x.answer(200, good,
             {{"x-ratelimit-limit-requests", "40"},
              {"x-ratelimit-remaining-requests", "39"},
              {"x-ratelimit-reset-requests", "1s"}});
  });
  EXPECT_EQ(run(read()), "read");
  const auto told = [this]() -> asio::awaitable<void> {
    // Sums over the answers with such headers.
    const auto query =
        "SELECT count(*) FROM rowrunner_limits.members"
        " WHERE (report -> 'requests')::text ~ '[1-9]'";
    while (db_.value(query) == "0") co_await pause(20ms);
  };
  run(told());
}

}  // namespace
}  // namespace rowrunner::testing
