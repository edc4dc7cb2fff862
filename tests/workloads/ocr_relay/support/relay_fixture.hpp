#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>

#include "api/raw_client.hpp"
#include "support/paths.hpp"
#include "support/process.hpp"
#include "support/watched_database.hpp"
#include "workloads/ocr_relay/support/gemini_stand_in.hpp"
#include "workloads/ocr_relay/support/order_receiver.hpp"
#include "workloads/ocr_relay/support/small_pdf.hpp"

namespace rowrunner::testing {

/// `rowrunner relay` on a database and a DATA_DIR of its own.
class relay_fixture : public ::testing::Test {
 public:
  ~relay_fixture() override { std::filesystem::remove_all(folder); }

 protected:
  relay_fixture() {
    std::string name = ::testing::TempDir() + "/relayXXXXXX";
    folder = std::filesystem::canonical(mkdtemp(name.data()));
    for (const char* table :
         {"ocr_relay_jobs", "ocr_relay_pages", "ocr_relay_summaries", "webhook_deliveries"}) {
      db.watch(table);
    }
  }

  process_environment env(process_environment more = {}) const {
    more.insert({{"DATABASE_URL", db.url()},
                 {"RELAY_TOKEN", "relay-token"},
                 {"DATA_DIR", folder},
                 {"LOCAL_STORAGE_PATH", folder + "/store"},
                 {"OUTBOUND_ALLOW", "127.0.0.0/8"},
                 {"WEBHOOK_RETRIES", "50ms"},
                 {"WEBHOOK_TIMEOUT", "2"},
                 {"RETRY_FIRST", "0.05"},
                 {"LEASE_SECONDS", "1"},
                 {"GEMINI_API_KEY", std::nullopt}});
    return more;
  }
  process_environment with_gemini(const gemini_stand_in& gemini,
                                  process_environment more = {}) const {
    more["GEMINI_API_KEY"] = "key";
    more["GEMINI_BASE_URL"] = gemini.base_url();
    more.insert({"LIMIT_GEMINI_GEMINI_2_5_FLASH", "requests=500/s"});
    return env(std::move(more));
  }

  void start_relay(const process_environment& with) {
    relay = std::make_unique<child_process>(
        std::vector<std::string>{rowrunner_binary(), "relay", "--host", "127.0.0.1", "--port", "0"},
        with, folder);
    const auto line = relay->wait_for_output_line("\"listening\"");
    ASSERT_TRUE(line) << relay->err();
    const auto url = nlohmann::json::parse(*line).at("url").get<std::string>();
    port = std::stoi(url.substr(url.rfind(':') + 1));
  }

  void kill_relay() const {
    relay->kill(SIGKILL);
    relay->wait();
  }

  void write_pdf(const std::vector<std::string>& pages) const {
    std::ofstream(folder + "/order.pdf", std::ios::binary) << small_pdf(pages);
  }

  nlohmann::json request_for(const order_receiver& receiver) const {
    return {{"orderId", "abc123"},
            {"fileId", "local:order.pdf"},
            {"prompt", "Read the order."},
            {"masters", {{"shipCsv", "id\n1"}, {"itemCsv", "id\n2"}}},
            {"webhook", {{"url", receiver.url()}, {"token", "hook-t0ken"}}}};
  }
  std::string submit(const nlohmann::json& body) const {
    const auto reply =
        ask(port, "POST", "/jobs",
            {{"Authorization", "Bearer relay-token"}, {"Content-Type", "application/json"}},
            body.dump());
    EXPECT_EQ(reply.status, 200) << reply.body;
    return nlohmann::json::parse(reply.body).at("job_id");
  }
  nlohmann::json shown(const std::string& job_id) const {
    const auto reply =
        ask(port, "GET", "/jobs/" + job_id, {{"Authorization", "Bearer relay-token"}});
    EXPECT_EQ(reply.status, 200) << reply.body;
    return nlohmann::json::parse(reply.body);
  }

  /// Until the receiver has the summary.
  bool summary_arrives() {
    return db.becomes(
        "SELECT count(*) FROM webhook_deliveries WHERE event = 'JOB_SUMMARY'"
        " AND status = 'succeeded'",
        "1");
  }

  watched_database db{test_database::contents::workloads};
  std::string folder;
  std::unique_ptr<child_process> relay;
  int port = 0;
};

}  // namespace rowrunner::testing
