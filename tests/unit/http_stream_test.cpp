// Bodies that are too large for the memory, sent and read in pieces.

#include <filesystem>
#include <fstream>

#include "common/file_stream.hpp"
#include "http_fixture.hpp"
#include "support/live_bytes.hpp"

namespace rowrunner::http {
namespace {

namespace fs = std::filesystem;
using rowrunner::testing::memory_growth;
using ::testing::HasSubstr;

// What may grow is the same for any size, so this stands for files of 500 MB, too.
constexpr std::uint64_t large = 96 * 1024 * 1024;
constexpr std::size_t little = 8 * 1024 * 1024;

/// Bytes that are made when they are asked for; what it gives depends on where it is.
class made_source : public byte_source {
 public:
  explicit made_source(std::uint64_t size) : size_(size), gives_(size) {}
  made_source(std::uint64_t says, std::uint64_t gives) : size_(says), gives_(gives) {}

  std::uint64_t size() const override { return size_; }
  void rewind() override {
    at_ = 0;
    ++rewinds;
  }
  awaitable<std::string> read() override {
    growth.look();
    const auto size = std::min<std::uint64_t>(stream_piece, gives_ - at_);
    std::string piece(static_cast<std::size_t>(size), static_cast<char>('a' + at_ % 23));
    at_ += size;
    co_return piece;
  }

  int rewinds = 0;
  memory_growth growth;

 private:
  const std::uint64_t size_;
  const std::uint64_t gives_;
  std::uint64_t at_ = 0;
};

class counting_sink : public byte_sink {
 public:
  void restart() override {
    ++restarts;
    bytes = 0;
  }
  awaitable<void> write(std::string piece) override {
    growth.look();
    bytes += piece.size();
    if (on_piece) on_piece();
    co_return;
  }

  int restarts = 0;
  std::uint64_t bytes = 0;
  memory_growth growth;
  std::function<void()> on_piece;
};

class http_stream : public http_fixture {
 protected:
  static void send_bytes(http_exchange& x, std::uint64_t count) {
    const std::string piece(64 * 1024, 'x');
    for (std::uint64_t sent = 0; sent < count && x.write(piece);) sent += piece.size();
  }
  static std::string head(std::uint64_t length) {
    return "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(length) + "\r\n\r\n";
  }

  request download(const std::string& path = "/") {
    request wanted(server_.url(path));
    wanted.sink = sink_;
    wanted.max_body = large;
    return wanted;
  }

  http_stand_in server_;
  client http_{io_.get_executor()};
  std::shared_ptr<counting_sink> sink_ = std::make_shared<counting_sink>();
};

TEST_F(http_stream, an_answer_passes_through_a_little_memory) {
  server_.on("GET /", [](http_exchange& x) {
    x.write(head(large));
    send_bytes(x, large);
  });
  const auto answer = fetch(http_, download());
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, "");
  EXPECT_EQ(sink_->bytes, large);
  EXPECT_EQ(sink_->restarts, 1);
  EXPECT_LT(sink_->growth.bytes(), little);
  EXPECT_EQ(http_.idle_connections(), 1U) << "it can be used again";
}

TEST_F(http_stream, an_answer_in_chunks_and_an_empty_one_pass_too) {
  server_.on("GET /", [](http_exchange& x) {
    x.write(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n");
  });
  server_.on("GET /empty", [](http_exchange& x) { x.answer(204); });
  fetch(http_, download());
  EXPECT_EQ(sink_->bytes, 5U);
  fetch(http_, download("/empty"));
  EXPECT_EQ(sink_->bytes, 0U);
  EXPECT_EQ(sink_->restarts, 2);
}

TEST_F(http_stream, a_request_passes_through_a_little_memory) {
  std::atomic<std::uint64_t> got = 0;
  server_.on_stream("PUT /", [&](http_exchange& x) {
    for (auto piece = x.read_piece(); !piece.empty(); piece = x.read_piece()) got += piece.size();
    x.answer(200, "thanks");
  });
  const auto source = std::make_shared<made_source>(large);
  request wanted(server_.url("/"), "PUT");
  wanted.source = source;
  EXPECT_EQ(fetch(http_, wanted).body, "thanks");
  EXPECT_EQ(got, large);
  EXPECT_LT(source->growth.bytes(), little);
}

TEST_F(http_stream, a_truncated_answer_is_an_error) {
  server_.on("GET /", [](http_exchange& x) {
    x.write(head(1'000'000));
    send_bytes(x, 500'000);
    x.close();
  });
  EXPECT_EQ(failure(http_, download()).kind(), error_kind::truncated);
  EXPECT_EQ(http_.idle_connections(), 0U);
}

TEST_F(http_stream, an_answer_beyond_the_limit_is_an_error) {
  server_.on("GET /announced", [](http_exchange& x) {
    x.write(head(large + 1));
    x.hang();
  });
  server_.on("GET /endless", [](http_exchange& x) {
    x.write("HTTP/1.1 200 OK\r\n\r\n");
    send_bytes(x, std::numeric_limits<std::uint64_t>::max());
  });
  EXPECT_EQ(failure(http_, download("/announced")).kind(), error_kind::too_large);
  EXPECT_EQ(sink_->bytes, 0U) << "found before the first byte";
  auto wanted = download("/endless");
  wanted.max_body = 3'000'000;
  EXPECT_EQ(failure(http_, wanted).kind(), error_kind::too_large);
  EXPECT_LE(sink_->bytes, 3'000'000U);
}

TEST_F(http_stream, a_refusal_does_not_reach_the_sink) {
  server_.on("GET /", [](http_exchange& x) { x.answer(503, "come back"); });
  const auto answer = fetch(http_, download());
  EXPECT_EQ(answer.status, 503);
  EXPECT_EQ(answer.body, "come back");
  EXPECT_EQ(sink_->restarts, 0);
}

TEST_F(http_stream, a_refusal_in_the_middle_of_the_request_is_its_answer) {
  server_.on_stream("PUT /", [](http_exchange& x) {
    x.read_piece();
    x.answer(507, "full");
    // What is on its way is read, or the reset of the connection would overtake the answer.
    while (!x.read_piece().empty()) continue;
  });
  request wanted(server_.url("/"), "PUT");
  wanted.source = std::make_shared<made_source>(8'000'000);
  const auto answer = fetch(http_, wanted);
  EXPECT_EQ(answer.status, 507);
  EXPECT_EQ(answer.body, "full");
}

TEST_F(http_stream, a_source_that_is_not_as_long_as_it_says_is_an_error) {
  server_.on_stream("PUT /", [](http_exchange& x) {
    while (!x.read_piece().empty()) continue;
  });
  for (const std::uint64_t gives : {999'999U, 1'000'001U}) {
    request wanted(server_.url("/"), "PUT");
    wanted.source = std::make_shared<made_source>(1'000'000, gives);
    EXPECT_EQ(failure(http_, wanted).kind(), error_kind::bad_request) << gives;
  }
}

TEST_F(http_stream, a_source_is_sent_from_its_start_on_a_new_connection) {
  server_.on("GET /", [](http_exchange& x) { x.answer(200); });
  server_.on_stream("PUT /", [](http_exchange& x) {
    if (x.call().connection == 1) return x.abort();
    std::uint64_t size = 0;
    for (auto piece = x.read_piece(); !piece.empty(); piece = x.read_piece()) size += piece.size();
    x.answer(200, std::to_string(size));
  });
  fetch(http_, request(server_.url("/")));
  const auto source = std::make_shared<made_source>(1'000'000);
  request wanted(server_.url("/"), "PUT");
  wanted.source = source;
  EXPECT_EQ(fetch(http_, wanted).body, "1000000");
  EXPECT_EQ(source->rewinds, 2);
}

TEST_F(http_stream, a_server_that_stalls_is_left_before_the_whole_time_is_over) {
  server_.on("GET /", [](http_exchange& x) {
    x.write(head(1'000'000));
    send_bytes(x, 100'000);
    x.hang();
  });
  auto wanted = download();
  wanted.timeout = std::chrono::hours(1);
  wanted.stall_timeout = std::chrono::milliseconds(50);
  EXPECT_EQ(failure(http_, wanted).kind(), error_kind::timeout);
}

TEST_F(http_stream, a_cancelled_download_leaves_no_file) {
  server_.on("GET /", [](http_exchange& x) {
    x.write(head(1'000'000));
    send_bytes(x, 100'000);
    x.hang();
  });
  std::string name = (fs::temp_directory_path() / "rowrunner-stream-XXXXXX").string();
  const fs::path folder = ::mkdtemp(name.data());
  std::ofstream(folder / "file") << "before";
  {
    class telling_sink : public file_sink {
     public:
      using file_sink::file_sink;
      awaitable<void> write(std::string piece) override {
        co_await file_sink::write(std::move(piece));
        if (auto tell = std::exchange(told, {})) tell();
      }
      std::function<void()> told;
    };
    const auto sink = std::make_shared<telling_sink>(folder / "file");
    request wanted(server_.url("/"));
    wanted.sink = sink;
    EXPECT_TRUE(is_cancelled(
        http_, wanted, [&](std::function<void()> cancel) { sink->told = std::move(cancel); }));
  }
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), fs::directory_iterator()), 1);
  EXPECT_EQ(fs::file_size(folder / "file"), 6U) << "what was there before";
  fs::remove_all(folder);
}

}  // namespace
}  // namespace rowrunner::http
