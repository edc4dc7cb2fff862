#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "api/server_fixture.hpp"
#include "api/test_server.hpp"
#include "apps/workloads.hpp"
#include "common/scratch_folder.hpp"
#include "support/paths.hpp"
#include "support/process.hpp"
#include "workloads/documents/support/sample_pdf.hpp"

namespace rowrunner::testing {

using nlohmann::json;

/// A server with the routes of documents, a database, a storage, and workers of the real binary.
class document_server : public ::testing::Test {
 protected:
  document_server() {
    for (const char* role : {"user", "viewer", "operator", "admin"}) {
      tokens_[role] = db_.token(role, role);
    }
    tokens_["other"] = db_.token("other", "user");
    db_.watch("document_jobs");
    db_.watch("document_pages");
  }

  /// The same for the server and for workers; small and quick.
  std::map<std::string, std::string> settings() const {
    return {{"LOCAL_STORAGE_PATH", (folder_.path() / "store").string()},
            {"CHILD_PROGRAM", rowrunner_binary()},
            {"CHILD_PROCESSES", "1"},
            {"DOCUMENT_MAX_MB", "1"},
            {"OCR_DPI", "120"},
            {"TESSERACT_LANGUAGES", "eng"}};
  }
  std::vector<api::route> routes() const {
    auto all = api::all_routes();
    boost::asio::io_context unused;
    for (auto& each : workload_routes(unused.get_executor(), environment(settings()))) {
      all.push_back(std::move(each));
    }
    return all;
  }

  http_reply call(const std::string& method, const std::string& path,
                  const std::string& role = "user") {
    return ask(server_.port(), method, path, bearer(tokens_.at(role)));
  }
  json get(const std::string& path, const std::string& role = "user") {
    const auto reply = call("GET", path, role);
    EXPECT_EQ(reply.status, 200) << path << '\n' << reply.body;
    return json::parse(reply.body, nullptr, false);
  }
  /// "404 Job not found": the status and the detail.
  std::string refusal(const http_reply& reply) {
    const auto body = json::parse(reply.body, nullptr, false);
    const bool told = body.is_object() && body.contains("detail") && body["detail"].is_string();
    return std::to_string(reply.status) + " " +
           (told ? body["detail"].get<std::string>() : "without a detail: " + reply.body);
  }

  static std::string part(const std::string& name, const std::string& more,
                          const std::string& content) {
    return "--bound\r\nContent-Disposition: form-data; name=\"" + name + "\"" + more + "\r\n\r\n" +
           content + "\r\n";
  }
  http_reply post_body(const std::string& body, const std::string& role = "user",
                       const std::string& type = "multipart/form-data; boundary=bound") {
    auto fields = bearer(tokens_.at(role));
    fields.emplace_back("Content-Type", type);
    return ask(server_.port(), "POST", "/documents/upload", fields, body);
  }
  http_reply upload(const std::string& pdf, const std::string& name = "a.pdf",
                    const std::string& role = "user") {
    return post_body(part("file", "; filename=\"" + name + "\"", pdf) + "--bound--\r\n", role);
  }
  json uploaded(const std::vector<std::string>& lines, const std::string& role = "user") {
    const auto reply = upload(text_pdf(lines), "a.pdf", role);
    EXPECT_EQ(reply.status, 200) << reply.body;
    return json::parse(reply.body, nullptr, false);
  }

  std::unique_ptr<child_process> start_worker(std::vector<std::string> more = {},
                                              std::map<std::string, std::string> env = {}) const {
    process_environment all{{"DATABASE_URL", db_.url()}};
    for (const auto& [name, value] : settings()) all[name] = value;
    for (const auto& [name, value] : env) all[name] = value;
    std::vector<std::string> words{rowrunner_binary(), "worker", "--kind", "document"};
    words.insert(words.end(), more.begin(), more.end());
    return std::make_unique<child_process>(words, all, folder_.path().string());
  }
  /// Runs all jobs that wait to their end.
  void work() const {
    const auto worker = start_worker({"--drain"});
    EXPECT_EQ(worker->wait(), 0) << worker->err();
  }
  const scratch_folder folder_;
  workloads_database db_;
  std::map<std::string, std::string> tokens_;
  test_server server_{{}, routes(), db_.url()};
};

}  // namespace rowrunner::testing
