// Receivers that never end, hang, or send what takes memory: each costs its own delivery a bounded
// time, and no other one anything.

#include <atomic>

#include "workloads/webhooks/support/webhook_fixture.hpp"

namespace rowrunner::testing {
namespace {

using ::testing::HasSubstr;

class hostile_receiver : public webhook_fixture {
 protected:
  std::string error_of(const std::string& path) {
    const auto id = enqueue(path);
    db.exec("UPDATE webhook_deliveries SET max_attempts = 1 WHERE status = 'queued'");
    start_worker();
    EXPECT_TRUE(reaches(id, "failed"));
    return column(id, "last_error");
  }
};

TEST_F(hostile_receiver, an_endless_answer_is_cut_off) {
  receiver.on("POST /endless", [](http_exchange& x) {
    x.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    const std::string chunk = "1000\r\n" + std::string(4096, 'x') + "\r\n";
    while (x.write(chunk)) {
    }
  });
  const auto id = enqueue("/endless");
  start_worker();
  ASSERT_TRUE(reaches(id, "succeeded"));
  EXPECT_EQ(column(id, "octet_length(answer_body)"), "65536");
}

TEST_F(hostile_receiver, an_announced_terabyte_is_cut_off) {
  receiver.on("POST /huge", [](http_exchange& x) {
    x.write("HTTP/1.1 200 OK\r\nContent-Length: 1099511627776\r\n\r\n");
    const std::string piece(65536, 'y');
    while (x.write(piece)) {
    }
  });
  const auto id = enqueue("/huge");
  start_worker();
  ASSERT_TRUE(reaches(id, "succeeded"));
  EXPECT_EQ(column(id, "octet_length(answer_body)"), "65536");
}

TEST_F(hostile_receiver, one_byte_at_a_time_ends_with_the_time) {
  set("WEBHOOK_TIMEOUT", "0.4");
  receiver.on("POST /drip", [](http_exchange& x) {
    x.write("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n");
    x.drip(std::string(1000, 'z'), std::chrono::milliseconds(50));
  });
  EXPECT_EQ(error_of("/drip"), "no complete answer from the receiver within 400 ms");
}

TEST_F(hostile_receiver, one_that_hangs_ends_with_the_time) {
  set("WEBHOOK_TIMEOUT", "0.2");
  receiver.on("POST /hang", [](http_exchange& x) { x.hang(); });
  EXPECT_EQ(error_of("/hang"), "no complete answer from the receiver within 200 ms");
}

TEST_F(hostile_receiver, the_time_counts_over_redirects_together) {
  set("WEBHOOK_TIMEOUT", "0.3");
  receiver.on("POST /exec", [](http_exchange& x) { x.answer(302, "", {{"Location", "/slow"}}); });
  receiver.on("GET /slow", [](http_exchange& x) { x.hang(); });
  EXPECT_THAT(error_of("/exec"), HasSubstr("within 300 ms"));
  EXPECT_EQ(receiver.calls("POST /exec").size(), 1u);
}

TEST_F(hostile_receiver, compressed_and_broken_answers_are_only_bytes) {
  const std::string bomb("\x1f\x8b\x08\x00\x00\xff\xfe", 7);
  receiver.on("POST /bomb", [&](http_exchange& x) {
    x.answer(200, bomb, {{"Content-Encoding", "gzip"}});
  });
  const auto id = enqueue("/bomb", "success_by => 'body'");
  start_worker();
  ASSERT_TRUE(reaches(id, "succeeded"));
  EXPECT_EQ(receiver.calls().at(0).header("Accept-Encoding"), "");
}

TEST_F(hostile_receiver, a_header_without_end_is_a_failure) {
  receiver.on("POST /header", [](http_exchange& x) {
    x.write("HTTP/1.1 200 OK\r\n");
    while (x.write("X: " + std::string(1000, 'h') + "\r\n")) {
    }
  });
  EXPECT_EQ(error_of("/header"), "the header of the receiver's answer is too large");
}

TEST_F(hostile_receiver, one_that_hangs_gets_eight_calls_and_holds_up_nobody) {
  std::atomic<int> hanging = 0;
  receiver.on("POST /hang", [&](http_exchange& x) {
    ++hanging;
    x.hang();
  });
  receiver.on("POST /good", [](http_exchange& x) { x.answer(200); });
  for (int i = 0; i < 40; ++i) enqueue("/hang?n=" + std::to_string(i));
  for (int i = 0; i < 20; ++i) enqueue("/good");
  start_worker();
  ASSERT_TRUE(
      db.becomes("SELECT count(*) FROM webhook_deliveries WHERE status = 'succeeded'", "20"));
  ASSERT_TRUE(db.becomes("SELECT count(*) FROM webhook_deliveries WHERE status = 'queued'", "32"));
  EXPECT_EQ(hanging, 8);
  EXPECT_EQ(db.value("SELECT max(attempts) FROM webhook_deliveries"), "0")
      << "what is turned away is not charged";
  EXPECT_EQ(db.value("SELECT count(*) > 0 FROM webhook_deliveries WHERE status = 'queued'"
                     " AND run_at > now()"),
            "t");
}

}  // namespace
}  // namespace rowrunner::testing
