// Gemini, with real pages and a stand-in that speaks models/{model}:generateContent.
#include "workloads/providers/gemini.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <fstream>

#include "common/errors.hpp"
#include "common/scratch_folder.hpp"
#include "support/http_stand_in.hpp"
#include "support/paths.hpp"

namespace rowrunner::providers {
namespace {

using nlohmann::json;
using rowrunner::testing::http_exchange;
using rowrunner::testing::http_stand_in;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr const char* two_pages =
    "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n"
    "2 0 obj<</Type/Pages/Kids[3 0 R 4 0 R]/Count 2>>endobj\n"
    "3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 100 100]>>endobj\n"
    "4 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 100 100]>>endobj\n"
    "trailer<</Root 1 0 R>>\n%%EOF\n";

class gemini_pages : public ::testing::Test {
 protected:
  gemini_pages() { std::ofstream(folder_.path() / "two.pdf") << two_pages; }

  environment settings() const {
    auto all = more_;
    all.insert({{"GEMINI_API_KEY", "sesame"},
                {"GEMINI_BASE_URL", server_.url("/v1beta")},
                {"CHILD_PROGRAM", rowrunner::testing::rowrunner_binary()},
                {"CHILD_PROCESSES", "1"}});
    return environment(all);
  }

  /// The text, or the error after "error: " or, if it is final, "final: ".
  std::string read(page_input page) {
    page.file = folder_.path() / "two.pdf";
    asio::io_context io;
    http::client http(io.get_executor());
    child::pool children(io.get_executor(), child::options_from(settings()));
    gemini provider(gemini_settings(settings()), http, children, run_inline, nullptr);
    std::string result = "hangs";
    asio::co_spawn(io, read_with(provider, std::move(page), result),
                   [&](const std::exception_ptr& failed) {
                     io.stop();
                     if (failed) std::rethrow_exception(failed);
                   });
    io.run_for(std::chrono::seconds(30));
    return result;
  }

  asio::awaitable<void> read_with(gemini& provider, page_input page, std::string& result) {
    const job_view self(nullptr);
    try {
      const auto read = co_await provider.read(self, std::move(page));
      meta_ = read.meta;
      result = read.text;
    } catch (const provider_error& why) {
      result = std::string(why.final ? "final: " : "error: ") + why.what();
    }
  }

  const scratch_folder folder_;
  http_stand_in server_;
  std::map<std::string, std::string> more_;
  json meta_;
};

TEST_F(gemini_pages, one_page_prompt_and_masters_are_one_request) {
  server_.on("POST /v1beta/models/gemini-2.5-flash:generateContent", [](http_exchange& x) {
    x.answer(200, R"({"candidates":[{"content":{"parts":[{"text":"read"}]},"finishReason":"STOP"}],
                      "usageMetadata":{"promptTokenCount":300,"candidatesTokenCount":7}})");
  });
  page_input page;
  page.page = 2;
  page.total = 2;
  page.prompt = "Read it";
  EXPECT_EQ(read(page), "read");
  const auto calls = server_.calls();
  ASSERT_EQ(calls.size(), 1u);
  EXPECT_EQ(calls[0].header("x-goog-api-key"), "sesame");
  EXPECT_EQ(calls[0].header("Content-Type"), "application/json");
  EXPECT_THAT(calls[0].target, Not(HasSubstr("sesame")));
  const auto body = json::parse(calls[0].body);
  const auto& parts = body.at("contents").at(0).at("parts");
  EXPECT_EQ(parts[0].at("text"), "Read it");
  EXPECT_EQ(parts[1].at("inline_data").at("mime_type"), "application/pdf");
  // "%PDF-" in base64.
  EXPECT_THAT(parts[1].at("inline_data").at("data").get<std::string>(), StartsWith("JVBERi"));
  EXPECT_EQ(meta_.at("model"), "gemini-2.5-flash");
  EXPECT_EQ(meta_.at("tokensInput"), 300);
  EXPECT_EQ(meta_.at("tokensOutput"), 7);
  EXPECT_TRUE(meta_.at("durationMs").is_number_integer());
}

TEST_F(gemini_pages, a_page_may_go_out_as_a_picture) {
  server_.on("POST /v1beta/models/gemini-x:generateContent", [](http_exchange& x) {
    x.answer(200, R"({"candidates":[{"content":{"parts":[{"text":"seen"}]}}]})");
  });
  page_input page;
  page.as_image = true;
  page.dpi = 50;
  page.settings = json{{"model", "gemini-x"}};
  EXPECT_EQ(read(page), "seen");
  const auto body = json::parse(server_.calls().at(0).body);
  const auto sent = body.at("contents").at(0).at("parts").at(1).at("inline_data");
  EXPECT_EQ(sent.at("mime_type"), "image/png");
  EXPECT_THAT(sent.at("data").get<std::string>(), StartsWith("iVBORw0KGgo"));
}

TEST_F(gemini_pages, errors_tell_no_key) {
  server_.on("POST /v1beta/models/gemini-2.5-flash:generateContent",
             [](http_exchange& x) { x.answer(403, R"({"error":{"message":"denied"}})"); });
  EXPECT_EQ(read(page_input{}), "final: Gemini answered 403: denied");
  page_input missing;
  missing.page = 3;
  EXPECT_THAT(read(missing), StartsWith("final: "));
}

TEST_F(gemini_pages, a_service_that_hangs_ends_with_the_time_and_may_be_asked_again) {
  more_["REQUEST_TIMEOUT"] = "0.2";
  server_.on("POST /v1beta/models/gemini-2.5-flash:generateContent",
             [](http_exchange& x) { x.hang(); });
  EXPECT_THAT(read(page_input{}), StartsWith("error: "));
}

TEST(gemini_options, must_make_sense) {
  EXPECT_THROW(gemini_settings(environment({})), usage_error);
  for (const char* bad : {"ftp://x", "http://a.example", "x"}) {
    EXPECT_THROW(gemini_settings(environment({{"GEMINI_API_KEY", "k"}, {"GEMINI_BASE_URL", bad}})),
                 usage_error)
        << bad;
  }
  for (const char* bad : {"0", "-1", "x", "1e9", "nan"}) {
    EXPECT_THROW(gemini_settings(environment({{"GEMINI_API_KEY", "k"}, {"REQUEST_TIMEOUT", bad}})),
                 usage_error)
        << bad;
  }
  const std::map<std::string, std::string> key_alone{{"GEMINI_API_KEY", "k"}};
  const auto given = gemini_settings(environment(key_alone));
  EXPECT_EQ(given.base_url, "https://generativelanguage.googleapis.com/v1beta");
  EXPECT_EQ(given.model, "gemini-2.5-flash");
  EXPECT_EQ(given.timeout, std::chrono::seconds(60));
}

}  // namespace
}  // namespace rowrunner::providers
