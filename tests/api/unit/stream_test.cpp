// Bodies and answers that are too large for the memory, on real sockets.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "api/raw_client.hpp"
#include "api/test_server.hpp"
#include "support/live_bytes.hpp"

namespace rowrunner::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::uint64_t large = 96 * 1024 * 1024;
constexpr std::size_t little = 8 * 1024 * 1024;

/// Bytes that are made when they are asked for.
class made_source : public byte_source {
 public:
  made_source(std::uint64_t says, std::uint64_t gives) : size_(says), gives_(gives) {}

  std::uint64_t size() const override { return size_; }
  void rewind() override {}
  boost::asio::awaitable<std::string> read() override {
    growth.look();
    const auto size = std::min<std::uint64_t>(stream_piece, gives_ - at_);
    at_ += size;
    if (size == 0 && gives_ != size_ && fails) throw std::runtime_error("the disk has gone");
    co_return std::string(static_cast<std::size_t>(size), 'x');
  }

  bool fails = false;
  memory_growth growth;

 private:
  const std::uint64_t size_;
  const std::uint64_t gives_;
  std::uint64_t at_ = 0;
};

/// What the handlers of these routes have seen.
struct seen {
  std::atomic<std::uint64_t> bytes = 0;
  std::atomic<std::size_t> growth = 0;
  std::atomic<int> calls = 0;
  std::string error{};
};

api::asio::awaitable<api::answer> take(seen& out, const api::request& asked) {
  ++out.calls;
  memory_growth growth;
  if (asked.query.contains("refuse")) {
    throw api::request_error(api::problem(409, "conflict", "it exists"));
  }
  try {
    for (;;) {
      const auto piece = co_await asked.stream->read();
      growth.look();
      if (piece.empty()) break;
      out.bytes += piece.size();
    }
  } catch (const std::exception& error) {
    out.error = error.what();
    throw std::runtime_error("the storage did not like that");
  }
  out.growth = growth.bytes();
  co_return api::answer(200, asked.stream->size());
}

std::vector<api::route> upload_routes(seen& out, std::size_t most = large) {
  auto all = api::all_routes();
  const auto run = [&out](api::services&, const api::request& asked) { return take(out, asked); };
  all.push_back({.method = api::http::verb::post,
                 .path = "/upload",
                 .who = api::access::anyone,
                 .run = run,
                 .summary = "Takes a file",
                 .body_bytes = most,
                 .streams_body = true});
  all.push_back({.method = api::http::verb::post,
                 .path = "/own/upload",
                 .who = api::access::change_own,
                 .run = run,
                 .summary = "Takes a file of someone",
                 .body_bytes = most,
                 .streams_body = true});
  auto of_a_document = all[all.size() - 2];
  of_a_document.path = "/documents/upload";
  of_a_document.detail_errors = true;
  all.push_back(of_a_document);
  return all;
}

std::vector<api::route> download_routes(std::shared_ptr<made_source> source) {
  auto all = api::all_routes();
  const auto run = [source](api::services&,
                            const api::request&) -> api::asio::awaitable<api::answer> {
    api::answer out;
    out.status = 200;
    out.content_type = "application/pdf";
    out.stream = source;
    co_return out;
  };
  all.push_back({.method = api::http::verb::get,
                 .path = "/file",
                 .who = api::access::anyone,
                 .run = run,
                 .summary = "Gives a file"});
  return all;
}

std::string head(std::uint64_t length, const std::string& more = "") {
  return "POST /upload HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(length) + "\r\n" +
         more + "\r\n";
}

TEST(api_stream, a_large_body_reaches_the_handler_in_little_memory) {
  seen got;
  test_server server({}, upload_routes(got));
  raw_client client(server.port());
  client.send(head(large));
  const std::string piece(256 * 1024, 'x');
  for (std::uint64_t sent = 0; sent < large; sent += piece.size()) ASSERT_TRUE(client.send(piece));
  const auto reply = client.read_reply();
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->status, 200);
  EXPECT_EQ(reply->body, std::to_string(large) + "\n");
  EXPECT_EQ(got.bytes, large);
  EXPECT_LT(got.growth, little);
  EXPECT_EQ(client.call("GET", "/livez").status, 200);  // the connection goes on
}

TEST(api_stream, bodies_of_any_size_and_pipelined_ones) {
  seen got;
  test_server server({}, upload_routes(got));
  raw_client client(server.port());
  std::uint64_t total = 0;
  for (const std::size_t size : {0, 1, 65535, 65536, 65537, 200'000}) {
    client.send(head(size) + std::string(size, 'x') + head(3) + "abc");
    for (const auto expected : {size, std::size_t{3}}) {
      const auto reply = client.read_reply();
      ASSERT_TRUE(reply);
      EXPECT_EQ(reply->body, std::to_string(expected) + "\n");
      total += expected;
    }
  }
  EXPECT_EQ(got.bytes, total);
}

TEST(api_stream, what_is_too_large_or_of_unknown_length_is_refused_before_it_is_read) {
  seen got;
  test_server server({}, upload_routes(got, 1000));
  raw_client too_large(server.port()), chunked(server.port());
  too_large.send(head(1001, "Expect: 100-continue\r\n"));
  const auto refused = too_large.read_reply();
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->status, 413);
  chunked.send("POST /upload HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n");
  const auto unknown = chunked.read_reply();
  ASSERT_TRUE(unknown);
  EXPECT_EQ(unknown->status, 411);
  EXPECT_THAT(unknown->body, HasSubstr("length_required"));
  EXPECT_EQ(got.calls, 0);
}

TEST(api_stream, a_caller_without_a_token_is_refused_before_the_body_is_read) {
  seen got;
  test_server server({}, upload_routes(got));
  raw_client client(server.port());
  client.send(
      "POST /own/upload HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\nExpect: 100-continue\r\n\r\n");
  const auto reply = client.read_reply();
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->status, 401);
  EXPECT_EQ(got.calls, 0);
}

TEST(api_stream, a_client_is_told_to_go_on_when_the_handler_reads) {
  seen got;
  test_server server({}, upload_routes(got));
  raw_client client(server.port());
  client.send(head(3, "Expect: 100-continue\r\n"));
  EXPECT_EQ(client.read_until("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  client.send("abc");
  const auto reply = client.read_reply();
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->status, 200);
  EXPECT_EQ(got.bytes, 3u);
}

TEST(api_stream, a_handler_that_refuses_spares_the_client_its_body) {
  seen got;
  test_server server({}, upload_routes(got));
  raw_client client(server.port());
  client.send("POST /upload?refuse=1 HTTP/1.1\r\nHost: a\r\nContent-Length: " +
              std::to_string(large) + "\r\nExpect: 100-continue\r\n\r\n");
  const auto reply = client.read_reply();
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->status, 409);
  EXPECT_EQ(reply->header("connection"), "close");
}

TEST(api_stream, a_body_that_ends_too_early_is_a_400_whatever_the_handler_says) {
  seen got;
  test_server server({}, upload_routes(got));
  raw_client client(server.port());
  client.send(head(100) + "abc");
  client.half_close();
  const auto reply = client.read_reply();
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->status, 400);
  EXPECT_THAT(reply->body, HasSubstr("incomplete_body"));
  EXPECT_THAT(got.error, HasSubstr("ended before"));
}

TEST(api_stream, a_body_that_ends_too_early_gets_the_errors_of_the_routes_document) {
  seen got;
  test_server server({}, upload_routes(got));
  raw_client client(server.port());
  client.send("POST /documents/upload HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nabc");
  client.half_close();
  const auto reply = client.read_reply();
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->status, 400);
  EXPECT_EQ(reply->body, "{\"detail\":\"the body ended before its Content-Length\"}\n");
}

TEST(api_stream, a_client_that_sends_too_slowly_is_cut_off) {
  seen got;
  api::server_limits limits;
  limits.body_time = 100ms;
  test_server server(limits, upload_routes(got));
  raw_client client(server.port());
  client.send(head(100) + "abc");
  EXPECT_TRUE(client.read_to_end(20s));
  EXPECT_EQ(ask(server.port(), "GET", "/livez").status, 200);
  EXPECT_THAT(got.error, HasSubstr("ended before"));
}

TEST(api_stream, a_large_answer_is_sent_in_little_memory) {
  const auto source = std::make_shared<made_source>(large, large);
  test_server server({}, download_routes(source));
  raw_client client(server.port());
  const auto about = client.call("HEAD", "/file");
  EXPECT_EQ(about.header("content-length"), std::to_string(large));
  client.send("GET /file HTTP/1.1\r\nHost: a\r\n\r\nGET /livez HTTP/1.1\r\nHost: a\r\n\r\n");
  const auto answered = client.read_until("\r\n\r\n");
  ASSERT_TRUE(answered);
  EXPECT_THAT(*answered, HasSubstr("Content-Length: " + std::to_string(large) + "\r\n"));
  EXPECT_THAT(*answered, HasSubstr("Content-Type: application/pdf\r\n"));
  std::uint64_t taken = 0;
  for (; taken < large; taken += 65536) {
    ASSERT_TRUE(client.read_until(std::string(65536, 'x')));
  }
  EXPECT_LT(source->growth.bytes(), little);
  const auto next = client.read_reply();
  ASSERT_TRUE(next);
  EXPECT_EQ(next->body, "{\"status\":\"live\"}\n");
}

TEST(api_stream, an_answer_that_cannot_be_read_to_its_end_is_cut_off) {
  for (const bool fails : {true, false}) {
    const auto source = std::make_shared<made_source>(1000, 10);
    source->fails = fails;
    test_server server({}, download_routes(source));
    raw_client client(server.port());
    client.send("GET /file HTTP/1.1\r\nHost: a\r\n\r\n");
    const auto all = client.read_to_end(20s);
    ASSERT_TRUE(all);
    EXPECT_THAT(*all, HasSubstr("Content-Length: 1000\r\n"));
    EXPECT_THAT(*all, ::testing::EndsWith("\r\n\r\nxxxxxxxxxx"));
    EXPECT_EQ(ask(server.port(), "GET", "/livez").status, 200);
  }
}

TEST(api_stream, a_client_that_stops_reading_is_cut_off) {
  api::server_limits limits;
  limits.write_time = 100ms;
  const auto source = std::make_shared<made_source>(large, large);
  test_server server(limits, download_routes(source));
  raw_client client(server.port());
  client.send("GET /file HTTP/1.1\r\nHost: a\r\n\r\n");
  server.stop();
  EXPECT_TRUE(server.ends_within(7s));  // before the grace of running requests is over
}

TEST(api_stream, the_description_says_what_a_streamed_body_is) {
  seen got;
  test_server server({}, upload_routes(got));
  const auto described = nlohmann::json::parse(ask(server.port(), "GET", "/openapi.json").body);
  const auto& content = described["paths"]["/upload"]["post"]["requestBody"]["content"];
  EXPECT_EQ(content["application/json"]["schema"]["format"], "binary");
}

}  // namespace
}  // namespace rowrunner::testing
