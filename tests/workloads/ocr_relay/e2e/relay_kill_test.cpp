// Relays that are killed between the steps of a document.

#include <condition_variable>
#include <mutex>
#include <thread>

#include "workloads/ocr_relay/support/relay_fixture.hpp"

namespace rowrunner::testing {
namespace {

using nlohmann::json;
using ::testing::SizeIs;

/// Asks for a job all the time, at a server that is not killed.
class count_watcher {
 public:
  count_watcher(int port, std::string job)
      : thread_([this, port, job = std::move(job)](const std::stop_token& stop) {
          std::mutex mutex;
          std::condition_variable_any bell;
          std::unique_lock lock(mutex);
          while (!stop.stop_requested()) {
            look(port, job);
            bell.wait_for(lock, stop, std::chrono::milliseconds(50), [] { return false; });
          }
          look(port, job);
        }) {}

  /// What it asked last was asked after this was called.
  void stop() {
    thread_.request_stop();
    thread_.join();
  }
  int answers() const { return answers_; }
  int falls() const { return falls_; }
  int last() const { return last_; }

 private:
  void look(int port, const std::string& job) {
    const auto reply = ask(port, "GET", "/jobs/" + job, {{"Authorization", "Bearer relay-token"}});
    const int processed = json::parse(reply.body).at("processedPages");
    ++answers_;
    if (processed < last_) ++falls_;
    last_ = processed;
  }

  int answers_ = 0;
  int falls_ = 0;
  int last_ = 0;
  std::jthread thread_;
};

class relay_kill : public relay_fixture {
 protected:
  static constexpr int count = 100;

  std::set<int> stored_pages() {
    const auto list = db.value("SELECT coalesce(json_agg(page_index), '[]') FROM ocr_relay_pages");
    return json::parse(list).get<std::set<int>>();
  }
  bool stores(int pages) {
    return db.becomes("SELECT count(*) >= " + std::to_string(pages) + " FROM ocr_relay_pages", "t");
  }
};

TEST_F(relay_kill, loses_no_event_reads_no_stored_page_again_and_gives_no_second_id) {
  const gemini_stand_in gemini;
  order_receiver receiver("hook-t0ken");
  write_pdf(std::vector<std::string>(count, "page"));
  const auto settings = with_gemini(gemini);
  child_process server({rowrunner_binary(), "serve", "--host", "127.0.0.1", "--port", "0"},
                       settings, folder);
  const auto line = server.wait_for_output_line("\"listening\"");
  ASSERT_TRUE(line) << server.err();
  const auto url = json::parse(*line).at("url").get<std::string>();
  start_relay(settings);
  auto body = request_for(receiver);
  body["options"] = {{"concurrency", 4}};
  count_watcher counts(std::stoi(url.substr(url.rfind(':') + 1)), submit(body));
  // What was stored at a kill, with the number of times that it had been read.
  std::map<int, int> settled;
  for (const int boundary : {1, 2, 7, 20, 40, 60, 80, 99, 100}) {
    ASSERT_TRUE(stores(boundary)) << relay->err();
    kill_relay();
    const auto reads = gemini.reads();
    for (const int page : stored_pages()) settled.emplace(page, reads.at(page));
    start_relay(settings);
  }
  ASSERT_TRUE(summary_arrives());
  counts.stop();
  EXPECT_THAT(receiver.pages(), SizeIs(count));
  ASSERT_THAT(receiver.summaries(), ::testing::Not(::testing::IsEmpty()));
  EXPECT_EQ(receiver.summaries()[0].at("processedPages"), count);
  EXPECT_EQ(receiver.summaries()[0].at("status"), "DONE");
  EXPECT_THAT(settled, SizeIs(count));
  for (const auto& [page, times] : settled) {
    EXPECT_EQ(gemini.reads().at(page), times) << "page " << page << " was read after it was stored";
  }
  EXPECT_THAT(receiver.ids(), SizeIs(count + 1));
  for (const auto& [key, ids] : receiver.ids()) EXPECT_THAT(ids, SizeIs(1)) << key;
  EXPECT_EQ(counts.falls(), 0);
  EXPECT_GT(counts.answers(), 10);
  EXPECT_EQ(counts.last(), count);
  EXPECT_EQ(db.value("SELECT attempts FROM ocr_relay_jobs"), "0")
      << "a job that gets further is not charged for lost workers";
}

}  // namespace
}  // namespace rowrunner::testing
