// The relay as its document has it: one process, a receiver that knows the document only.

#include <atomic>

#include "workloads/ocr_relay/support/relay_fixture.hpp"
#include "workloads/pdf/hostile.hpp"
#include "workloads/pdf/sample.hpp"

namespace rowrunner::testing {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

class relay_e2e : public relay_fixture {};

TEST_F(relay_e2e, every_page_and_then_the_summary_arrive) {
  const gemini_stand_in gemini([](int page, http_exchange&) -> std::string {
    return page == 2 ? "NON_ORDER_PAGE" : "注文 " + std::to_string(page);
  });
  order_receiver receiver("hook-t0ken");
  write_pdf({"one", "two", "three"});
  start_relay(with_gemini(gemini));
  const auto id = submit(request_for(receiver));
  ASSERT_TRUE(summary_arrives());
  EXPECT_THAT(receiver.pages(), ElementsAre(1, 2, 3)) << "in order";
  EXPECT_EQ(receiver.refused(), 0) << "the token is in the header and in the body";

  auto page = receiver.page(3);
  EXPECT_GE(page.at("meta").at("durationMs").get<int>(), 0);
  page["meta"].erase("durationMs");
  EXPECT_EQ(
      page,
      json({{"event", "PAGE_RESULT"},
            {"jobId", id},
            {"orderId", "abc123"},
            {"pageIndex", 3},
            {"isNonOrderPage", false},
            {"rawText", "--- PAGE 3 ---\n注文 3"},
            {"meta", {{"model", "gemini-2.5-flash"}, {"tokensInput", 11}, {"tokensOutput", 7}}},
            {"idempotencyKey", "abc123:3"},
            {"token", "hook-t0ken"}}));
  EXPECT_EQ(receiver.page(2).at("isNonOrderPage"), true);
  ASSERT_THAT(receiver.summaries(), SizeIs(1));
  EXPECT_EQ(receiver.summaries()[0], json({{"event", "JOB_SUMMARY"},
                                           {"jobId", id},
                                           {"orderId", "abc123"},
                                           {"totalPages", 3},
                                           {"processedPages", 2},
                                           {"skippedPages", 1},
                                           {"errors", json::array()},
                                           {"status", "DONE"},
                                           {"token", "hook-t0ken"}}));
  const auto job = shown(id);
  EXPECT_EQ(job.at("status"), "DONE");
  EXPECT_EQ(job.at("totalPages"), 3);
  EXPECT_EQ(job.at("processedPages"), 2);
  EXPECT_EQ(job.at("skippedPages"), 1);
  EXPECT_EQ(job.at("pages").size(), 3u);
  relay->kill(SIGTERM);
  EXPECT_EQ(relay->wait(), 0) << relay->err();
  EXPECT_THAT(relay->err(), Not(HasSubstr("t0ken")));
}

TEST_F(relay_e2e, without_any_key_pages_are_read_on_this_machine) {
  order_receiver receiver("hook-t0ken");
  write_pdf({"Order Bolt Osaka", ""});
  start_relay(env());
  const auto id = submit(request_for(receiver));
  ASSERT_TRUE(summary_arrives());
  EXPECT_THAT(receiver.page(1).at("rawText").get<std::string>(), HasSubstr("Bolt"));
  EXPECT_GT(shown(id).at("pages")[0].at("meta").at("confidence").get<double>(), 0);
  EXPECT_EQ(receiver.page(2).at("isNonOrderPage"), true) << "it is blank";
  EXPECT_EQ(receiver.summaries().at(0).at("processedPages"), 1);
  EXPECT_EQ(receiver.summaries().at(0).at("status"), "DONE");
}

TEST_F(relay_e2e, a_scan_arrives_with_95_of_100_characters_right) {
  order_receiver receiver("hook-t0ken");
  write_scanned_pdf(folder + "/order.pdf", {letter(0)});
  start_relay(env());
  submit(request_for(receiver));
  ASSERT_TRUE(summary_arrives());
  std::string truth = "--- PAGE 1 ---\n";
  for (const auto& line : letter(0)) truth += line + '\n';
  const auto text = receiver.page(1).at("rawText").get<std::string>();
  EXPECT_LE(character_error_rate(truth, text), 0.05) << text;
}

TEST_F(relay_e2e, a_receiver_in_trouble_gets_every_page_once_and_then_the_summary) {
  const gemini_stand_in gemini;
  // By the number of the call: down, an error, taken with the answer elsewhere, and one that hangs.
  order_receiver* self = nullptr;
  order_receiver receiver("hook-t0ken", [&](int call, const json& event, http_exchange& x) {
    switch (call) {
      case 1:
        x.abort();
        return true;
      case 2:
      case 3:
        x.answer(500, "busy");
        return true;
      case 4:
      case 6:
        self->keep_event(event);
        x.answer(302, "", {{"Location", "/echo"}});
        return true;
      case 5:
        x.hang();
        return true;
      default:
        return false;
    }
  });
  self = &receiver;
  write_pdf({"1", "2", "3", "4", "5"});
  start_relay(with_gemini(gemini, {{"WEBHOOK_TIMEOUT", "0.5"}}));
  auto body = request_for(receiver);
  body["options"] = {{"concurrency", 3}};
  submit(body);
  ASSERT_TRUE(summary_arrives());
  EXPECT_THAT(receiver.pages(), ::testing::UnorderedElementsAre(1, 2, 3, 4, 5));
  ASSERT_THAT(receiver.summaries(), SizeIs(1));
  EXPECT_EQ(receiver.summaries()[0].at("processedPages"), 5);
  EXPECT_EQ(receiver.summaries()[0].at("status"), "DONE");
  for (const auto& [key, ids] : receiver.ids()) EXPECT_THAT(ids, SizeIs(1)) << key;
}

TEST_F(relay_e2e, a_page_that_cannot_be_read_is_the_error_of_that_page) {
  const gemini_stand_in gemini([](int page, http_exchange& x) -> std::string {
    if (page != 2) return "good";
    x.answer(400, R"({"error": {"message": "too dark"}})");
    return "";
  });
  order_receiver receiver("hook-t0ken");
  write_pdf({"1", "2", "3"});
  start_relay(with_gemini(gemini));
  const auto id = submit(request_for(receiver));
  ASSERT_TRUE(summary_arrives());
  EXPECT_THAT(receiver.pages(), ElementsAre(1, 3));
  const auto summary = receiver.summaries().at(0);
  EXPECT_EQ(summary.at("status"), "ERROR");
  EXPECT_EQ(summary.at("processedPages"), 2);
  EXPECT_EQ(summary.at("skippedPages"), 1);
  ASSERT_EQ(summary.at("errors").size(), 1u);
  EXPECT_EQ(summary.at("errors")[0].at("pageIndex"), 2);
  EXPECT_EQ(shown(id).at("pages")[1].at("status"), "ERROR");
  EXPECT_EQ(shown(id).at("status"), "ERROR");
}

TEST_F(relay_e2e, a_file_that_cannot_be_had_sends_the_summary_with_its_reason) {
  order_receiver receiver("hook-t0ken");
  start_relay(env());
  const auto id = submit(request_for(receiver));
  ASSERT_TRUE(summary_arrives());
  const auto summary = receiver.summaries().at(0);
  EXPECT_EQ(summary.at("status"), "ERROR");
  EXPECT_EQ(summary.at("totalPages"), 0);
  ASSERT_EQ(summary.at("errors").size(), 1u);
  EXPECT_EQ(summary.at("errors")[0].at("pageIndex"), nullptr);
  EXPECT_EQ(shown(id).at("lastError"), summary.at("errors")[0].at("message"));
  EXPECT_TRUE(receiver.pages().empty());
}

TEST_F(relay_e2e, a_file_that_is_no_pdf_fails_its_job_alone) {
  order_receiver receiver("hook-t0ken");
  std::ofstream(folder + "/order.pdf") << "no PDF at all";
  start_relay(env());
  submit(request_for(receiver));
  ASSERT_TRUE(summary_arrives());
  EXPECT_EQ(receiver.summaries().at(0).at("status"), "ERROR");
  EXPECT_EQ(db.value("SELECT attempts FROM ocr_relay_jobs"), "1") << "it is not tried again";
}

TEST_F(relay_e2e, what_is_not_delivered_in_time_counts_as_skipped_and_goes_on) {
  const gemini_stand_in gemini;
  std::atomic<bool> down = true;
  order_receiver receiver("hook-t0ken", [&](int, const json& event, http_exchange& x) {
    if (!down || event.at("event") == "JOB_SUMMARY" || event.value("pageIndex", 0) == 1) {
      return false;
    }
    x.answer(503);
    return true;
  });
  write_pdf({"1", "2"});
  start_relay(with_gemini(gemini, {{"RELAY_SUMMARY_WAIT", "1"}, {"WEBHOOK_RETRIES", "200ms"}}));
  db.exec("ALTER TABLE webhook_deliveries ALTER max_attempts SET DEFAULT 1000");
  const auto id = submit(request_for(receiver));
  ASSERT_TRUE(summary_arrives());
  const auto summary = receiver.summaries().at(0);
  EXPECT_EQ(summary.at("status"), "ERROR");
  EXPECT_EQ(summary.at("processedPages"), 1);
  EXPECT_EQ(summary.at("skippedPages"), 1);
  EXPECT_THAT(summary.at("errors")[0].at("message").get<std::string>(),
              HasSubstr("not delivered in time: the receiver answered 503"));
  down = false;
  ASSERT_TRUE(
      db.becomes("SELECT count(*) FROM webhook_deliveries WHERE status = 'succeeded'", "3"));
  EXPECT_EQ(shown(id).at("processedPages"), 2);
}

TEST_F(relay_e2e, a_page_that_is_refused_for_now_costs_no_try) {
  std::atomic<int> refused = 0;
  const gemini_stand_in gemini([&](int page, http_exchange& x) -> std::string {
    if (page != 2 || ++refused > 6) return "good";
    x.answer(429, R"({"error": {"message": "slow down"}})");
    return "";
  });
  order_receiver receiver("hook-t0ken");
  write_pdf({"1", "2", "3"});
  start_relay(with_gemini(gemini));
  submit(request_for(receiver));
  ASSERT_TRUE(summary_arrives());
  EXPECT_EQ(receiver.summaries().at(0).at("status"), "DONE") << receiver.summaries().at(0);
  EXPECT_EQ(refused, 7);
}

TEST_F(relay_e2e, pages_can_go_out_as_pictures) {
  const gemini_stand_in gemini;
  order_receiver receiver("hook-t0ken");
  write_pdf({"1", "2"});
  start_relay(with_gemini(gemini));
  auto body = request_for(receiver);
  body["options"] = {{"splitMode", "image"}, {"dpi", 72}};
  submit(body);
  ASSERT_TRUE(summary_arrives());
  EXPECT_EQ(gemini.reads(), (std::map<int, int>{{1, 1}, {2, 1}}));
  EXPECT_EQ(receiver.page(2).at("rawText"), "--- PAGE 2 ---\ntext of page 2");
}

TEST_F(relay_e2e, a_job_that_is_cancelled_while_it_runs_sends_its_summary) {
  gemini_stand_in gemini([](int page, http_exchange& x) -> std::string {
    if (page == 1) return "good";
    x.hang();
    return "";
  });
  order_receiver receiver("hook-t0ken");
  write_pdf({"1", "2", "3"});
  start_relay(with_gemini(gemini));
  const auto id = submit(request_for(receiver));
  ASSERT_TRUE(gemini.server().wait_for_calls(2));
  db.exec("SELECT rowrunner.cancel('ocr_relay', id, 'wrong file') FROM ocr_relay_jobs");
  ASSERT_TRUE(summary_arrives());
  const auto summary = receiver.summaries().at(0);
  EXPECT_EQ(summary.at("status"), "ERROR");
  EXPECT_EQ(summary.at("totalPages"), 3);
  EXPECT_EQ(summary.at("processedPages"), 1);
  EXPECT_THAT(summary.at("errors")[0].at("message").get<std::string>(), HasSubstr("wrong file"));
  EXPECT_EQ(shown(id).at("status"), "ERROR");
}

TEST_F(relay_e2e, a_worker_that_is_lost_in_the_last_attempt_leaves_a_summary) {
  gemini_stand_in gemini([](int, http_exchange& x) -> std::string {
    x.hang();
    return "";
  });
  order_receiver receiver("hook-t0ken");
  write_pdf({"1"});
  start_relay(with_gemini(gemini));
  submit(request_for(receiver));
  ASSERT_TRUE(gemini.server().wait_for_calls(1));
  // Without the step that says how many pages there are: a job that gets further is not charged.
  db.exec(
      "UPDATE ocr_relay_jobs SET max_attempts = 1;"
      " DELETE FROM rowrunner.steps WHERE step = 'pages'");
  kill_relay();
  start_relay(with_gemini(gemini));
  ASSERT_TRUE(summary_arrives());
  EXPECT_EQ(receiver.summaries().at(0).at("status"), "ERROR");
  EXPECT_EQ(db.value("SELECT status FROM ocr_relay_jobs"), "failed");
  EXPECT_EQ(gemini.reads().at(1), 1);
}

TEST_F(relay_e2e, hostile_files_fail_and_the_worker_goes_on) {
  order_receiver receiver("hook-t0ken");
  start_relay(env());
  write_pdf({"Order Bolt Osaka"});
  const std::map<std::string, std::string> files{{"encrypted", encrypted_pdf()},
                                                 {"no_pages", small_pdf({})},
                                                 {"million", pdf_that_claims(1'000'000)},
                                                 {"huge", pdf_of_a_huge_page()}};
  const auto order = [&](const std::string& name) {
    auto body = request_for(receiver);
    body["orderId"] = name;
    body["fileId"] = "local:" + name + ".pdf";
    return submit(body);
  };
  const auto status = [&](const std::string& name) {
    return db.becomes(
        "SELECT s.outcome FROM ocr_relay_jobs j JOIN ocr_relay_summaries s ON s.relay = j.id"
        " WHERE j.order_id = '" +
            name + "'",
        name == "order" ? "DONE" : "ERROR");
  };
  const auto pid = relay->pid();
  for (const auto& [name, content] : files) {
    std::ofstream(folder + "/" + name + ".pdf", std::ios::binary) << content;
    const auto id = order(name);
    ASSERT_TRUE(status(name)) << name;
    EXPECT_TRUE(shown(id).at("lastError").is_string()) << shown(id);
    EXPECT_EQ(shown(id).at("processedPages"), 0) << name;
  }
  order("order");
  EXPECT_TRUE(status("order"));
  EXPECT_EQ(::kill(pid, 0), 0) << "the same process";
}

TEST_F(relay_e2e, listens_on_the_port_of_the_document) {
  // An address of this machine that no other test uses.
  child_process plain({rowrunner_binary(), "relay", "--host", "127.83.5.1"}, env(), folder);
  const auto line = plain.wait_for_output_line("\"listening\"");
  ASSERT_TRUE(line) << plain.err();
  EXPECT_THAT(*line, HasSubstr("127.83.5.1:5000"));
}

TEST_F(relay_e2e, needs_its_token) {
  auto without = env();
  without["RELAY_TOKEN"] = std::nullopt;
  const auto refused = run_process({rowrunner_binary(), "relay", "--port", "0"}, without, folder);
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("RELAY_TOKEN is needed"));
}

TEST_F(relay_e2e, answers_for_its_health_without_a_token) {
  start_relay(env({{"LOG_LEVEL", "INFO"}}));
  const auto healthy = ask(port, "GET", "/healthz");
  EXPECT_EQ(healthy.status, 200);
  EXPECT_EQ(json::parse(healthy.body), json({{"status", "ok"}}));
  EXPECT_EQ(ask(port, "GET", "/api/jobs").status, 404) << "it serves the document's routes alone";
  const auto second = run_process(
      {rowrunner_binary(), "relay", "--host", "127.0.0.1", "--port", std::to_string(port)}, env(),
      folder);
  EXPECT_EQ(second.exit_code, 1);
  EXPECT_THAT(second.err, HasSubstr("cannot be listened on"));
}

}  // namespace
}  // namespace rowrunner::testing
