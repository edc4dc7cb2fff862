// A scanned document from the upload to the search, with the shipped program.
#include <gmock/gmock.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "api/server_fixture.hpp"
#include "common/http/url.hpp"
#include "common/scratch_folder.hpp"
#include "support/paths.hpp"
#include "support/process.hpp"
#include "workloads/pdf/sample.hpp"

namespace rowrunner::testing {
namespace {

using nlohmann::json;

class scanned_document : public ::testing::Test {
 protected:
  scanned_document() {
    const char* wanted = std::getenv("OCR_TEST_PAGES");
    const std::size_t count = wanted == nullptr ? 2 : std::stoul(wanted);
    for (std::size_t i = 0; i < count; ++i) pages_.push_back(letter(i));
    write_scanned_pdf(folder_.path() / "scan.pdf", pages_);
  }

  std::unique_ptr<child_process> start(const std::vector<std::string>& words) const {
    auto all = words;
    all.insert(all.begin(), rowrunner_binary());
    const auto store = (folder_.path() / "store").string();
    return std::make_unique<child_process>(all,
                                           process_environment{{"DATABASE_URL", db_.url()},
                                                               {"LOCAL_STORAGE_PATH", store},
                                                               {"GEMINI_API_KEY", std::nullopt}},
                                           folder_.path().string());
  }
  json reply(const std::string& method, const std::string& path, const std::string& body = "") {
    auto fields = bearer(token_);
    fields.emplace_back("Content-Type", "multipart/form-data; boundary=bound");
    const auto got = ask(port_, method, path, fields, body);
    EXPECT_EQ(got.status, 200) << got.body;
    return json::parse(got.body);
  }
  std::string upload() {
    return reply("POST", "/documents/upload",
                 "--bound\r\nContent-Disposition: form-data; name=\"file\"; filename=\"s.pdf\"\r\n"
                 "\r\n" +
                     read_all(folder_.path() / "scan.pdf") + "\r\n--bound--\r\n")
        .at("document_id");
  }

  const scratch_folder folder_;
  std::vector<page_lines> pages_;
  workloads_database db_;
  const std::string token_ = db_.token("ann", "user");
  int port_ = 0;
};

TEST_F(scanned_document, is_read_with_95_of_100_characters_right_and_found) {
  const auto server = start({"serve", "--host", "127.0.0.1", "--port", "0"});
  const auto line = server->wait_for_output_line("\"listening\"");
  ASSERT_TRUE(line) << server->err();
  const auto url = json::parse(*line).at("url").get<std::string>();
  port_ = std::stoi(url.substr(url.rfind(':') + 1));
  const auto id = upload();
  const auto worker = start({"worker", "--kind", "document", "--drain"});
  ASSERT_EQ(worker->wait(std::chrono::minutes(4)), 0) << worker->err();
  const auto read = reply("GET", "/documents/" + id + "/pages?limit=200").at("items");
  ASSERT_EQ(read.size(), pages_.size());
  std::string truth, text;
  for (std::size_t i = 0; i < pages_.size(); ++i) {
    for (const auto& each : pages_[i]) truth += each + '\n';
    text += read[i].at("text").get<std::string>() + '\n';
  }
  EXPECT_LE(character_error_rate(truth, text), 0.05) << text;
  const auto found = reply("GET", "/documents/search?q=" + rowrunner::http::percent_encode("東京"));
  ASSERT_FALSE(found.at("items").empty()) << text;
  EXPECT_EQ(found.at("items")[0].at("document_id"), id);
  EXPECT_EQ(found.at("items")[0].at("page"), 1);
}

}  // namespace
}  // namespace rowrunner::testing
