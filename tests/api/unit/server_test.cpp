// The server on real sockets, without a database.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "api/raw_client.hpp"
#include "api/test_server.hpp"

namespace rowrunner::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::StartsWith;

/// A route whose answers wait until the test lets them go.
class held_route {
 public:
  api::route made(const char* path = "/held") {
    return {.method = api::http::verb::get,
            .path = path,
            .who = api::access::anyone,
            .run = [this](api::services&, const api::request&) { return hold(); },
            .summary = "Waits"};
  }
  void wait_entered() { entered_.get_future().wait(); }
  /// In the server's thread.
  void release() { bell_->cancel(); }

 private:
  boost::asio::awaitable<api::answer> hold() {
    bell_ = std::make_unique<boost::asio::steady_timer>(
        co_await boost::asio::this_coro::executor, boost::asio::steady_timer::time_point::max());
    entered_.set_value();
    co_await bell_->async_wait(boost::asio::as_tuple(boost::asio::use_awaitable));
    co_return api::answer(200, "held");
  }

  std::promise<void> entered_;
  std::unique_ptr<boost::asio::steady_timer> bell_;
};

std::vector<api::route> with(api::route one) {
  auto all = api::all_routes();
  all.push_back(std::move(one));
  return all;
}

api::route echo(std::size_t body_bytes) {
  return {
      .method = api::http::verb::post,
      .path = "/echo/{name}",
      .who = api::access::anyone,
      .run = [](api::services&, const api::request& asked) -> api::asio::awaitable<api::answer> {
        co_return api::answer(200, asked.params.at("name") + ":" + asked.body);
      },
      .summary = "Repeats",
      .body_bytes = body_bytes};
}

TEST(api_server, livez_answers_without_a_database_and_readyz_does_not) {
  test_server server;
  const auto live = ask(server.port(), "GET", "/livez");
  EXPECT_EQ(live.status, 200);
  EXPECT_EQ(live.body, "{\"status\":\"live\"}\n");
  EXPECT_EQ(live.header("content-type"), "application/json");
  EXPECT_EQ(live.header("x-request-id").size(), 36u);
  EXPECT_THAT(live.header("date"), ::testing::EndsWith(" GMT"));
  EXPECT_EQ(ask(server.port(), "GET", "/readyz").status, 503);
  EXPECT_EQ(ask(server.port(), "GET", "/healthz").status, 503);
  server.note_ready();
  EXPECT_EQ(ask(server.port(), "GET", "/readyz").status, 200);
  EXPECT_THAT(ask(server.port(), "GET", "/healthz").body, HasSubstr("\"version\":"));
}

TEST(api_server, a_request_that_needs_the_database_gets_503_while_it_is_away) {
  test_server server;
  const auto token = "Bearer rr_1_" + std::string(43, 'a');
  const auto reply = ask(server.port(), "POST", "/api/tickets", {{"Authorization", token}});
  EXPECT_EQ(reply.status, 503);
  EXPECT_THAT(reply.body, HasSubstr("\"code\":\"unavailable\""));
  EXPECT_THAT(reply.body, HasSubstr("\"retryable\":true"));
  EXPECT_THAT(reply.body, HasSubstr(reply.header("x-request-id")));
}

TEST(api_server, unknown_paths_methods_and_heads) {
  test_server server;
  raw_client client(server.port());
  EXPECT_EQ(client.call("GET", "/nothing").status, 404);
  const auto wrong = client.call("PUT", "/livez");
  EXPECT_EQ(wrong.status, 405);
  EXPECT_EQ(wrong.header("allow"), "GET, HEAD");
  EXPECT_EQ(client.call("BREW", "/livez").status, 405);
  const auto head = client.call("HEAD", "/livez?x=1");
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.header("content-length"), "18");
  EXPECT_EQ(client.call("GET", "/livez").status, 200);  // nothing of a body was left
}

TEST(api_server, pipelined_requests_are_answered_in_their_order) {
  test_server server({}, with(echo(100)));
  raw_client client(server.port());
  std::string all;
  for (int i = 0; i < 50; ++i) {
    const auto body = std::to_string(i);
    all += "POST /echo/n HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(body.size()) +
           "\r\n\r\n" + body;
  }
  ASSERT_TRUE(client.send(all));
  for (int i = 0; i < 50; ++i) {
    const auto reply = client.read_reply();
    ASSERT_TRUE(reply) << i;
    EXPECT_EQ(reply->body, "\"n:" + std::to_string(i) + "\"\n");
  }
}

TEST(api_server, bodies_in_chunks_and_with_a_question_before) {
  test_server server({}, with(echo(5)));
  raw_client client(server.port());
  client.send(
      "POST /echo/a%2Fb HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
      "2\r\nab\r\n3;x=y\r\ncde\r\n0\r\n\r\n");
  EXPECT_EQ(client.read_reply().value().body, "\"a/b:abcde\"\n");
  client.send(
      "POST /echo/x HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(client.read_reply(false).value().status, 100);
  client.send("abc");
  EXPECT_EQ(client.read_reply().value().body, "\"x:abc\"\n");
  // Refused before the body is asked for, and closed, as the body may be on its way.
  client.send(
      "POST /echo/x HTTP/1.1\r\nHost: a\r\nContent-Length: 6\r\nExpect: 100-continue\r\n\r\n");
  const auto refused = client.read_reply().value();
  EXPECT_EQ(refused.status, 413);
  EXPECT_EQ(refused.header("connection"), "close");
  EXPECT_EQ(client.read_to_end(10s), "");
}

TEST(api_server, a_body_that_does_not_end_is_cut_off_by_its_size) {
  test_server server({}, with(echo(1000)));
  raw_client client(server.port());
  client.send("POST /echo/x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
  const std::string chunk = "64\r\n" + std::string(100, 'x') + "\r\n";
  while (client.send(chunk)) {
    if (const auto reply = client.read_to_end(0ms)) break;
  }
  EXPECT_EQ(ask(server.port(), "GET", "/livez").status, 200);
}

TEST(api_server, old_clients_and_half_closed_ones_get_their_answer) {
  test_server server;
  raw_client old(server.port());
  old.send("GET /livez HTTP/1.0\r\n\r\n");
  EXPECT_THAT(old.read_to_end(10s).value_or("open"), StartsWith("HTTP/1.0 200 OK"));
  raw_client half(server.port());
  half.send("GET /livez HTTP/1.1\r\nHost: a\r\n\r\n");
  half.half_close();
  EXPECT_THAT(half.read_to_end(10s).value_or("open"), StartsWith("HTTP/1.1 200 OK"));
}

api::server_limits hasty() {
  api::server_limits out;
  out.head_time = out.body_time = out.write_time = out.idle_time = 200ms;
  return out;
}

TEST(api_server, slow_clients_are_cut_off) {
  test_server server(hasty(), with(echo(100)));
  raw_client silent(server.port()), slow_head(server.port()), slow_body(server.port());
  slow_head.send("GET /livez HTTP/1.1\r\nHost:");
  slow_body.send("POST /echo/x HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nabc");
  EXPECT_EQ(silent.read_to_end(20s), "");
  EXPECT_EQ(slow_head.read_to_end(20s), "");
  EXPECT_EQ(slow_body.read_to_end(20s), "");
}

// The whole time counts: a byte now and then does not help.
TEST(api_server, a_client_that_drips_is_cut_off) {
  test_server server(hasty());
  raw_client client(server.port());
  client.send("GET /livez HTTP/1.1\r\nHost: a\r\n");
  const auto deadline = std::chrono::steady_clock::now() + 20s;
  bool closed = false;
  while (!closed && std::chrono::steady_clock::now() < deadline) {
    client.send("A: b\r\n");
    closed = client.read_to_end(10ms).has_value();
  }
  EXPECT_TRUE(closed);
}

TEST(api_server, a_client_that_does_not_read_is_cut_off) {
  api::route large{
      .method = api::http::verb::get,
      .path = "/large",
      .who = api::access::anyone,
      .run = [](api::services&, const api::request&) -> api::asio::awaitable<api::answer> {
        api::answer out(200, "");
        out.body.assign(64 * 1024 * 1024, 'x');
        co_return out;
      },
      .summary = "Large"};
  auto limits = hasty();
  limits.connections = 1;
  test_server server(limits, with(std::move(large)));
  raw_client client(server.port());
  client.send("GET /large HTTP/1.1\r\nHost: a\r\n\r\n");
  // Its slot becomes free although it has not read a byte.
  while (ask(server.port(), "GET", "/nothing").status == 503) {
  }
  EXPECT_EQ(ask(server.port(), "GET", "/nothing").status, 404);
}

TEST(api_server, more_connections_than_slots_get_503_and_health_still_answers) {
  api::server_limits limits;
  limits.connections = 3;
  limits.spare_connections = 2;
  test_server server(limits);
  std::vector<std::unique_ptr<raw_client>> holding;
  for (int i = 0; i < 3; ++i) {
    holding.push_back(std::make_unique<raw_client>(server.port()));
    EXPECT_EQ(holding.back()->call("GET", "/livez").header("connection"), "");
  }
  // Many that say nothing: the oldest of them makes room.
  for (int i = 0; i < 200; ++i) holding.push_back(std::make_unique<raw_client>(server.port()));
  const auto live = ask(server.port(), "GET", "/livez");
  EXPECT_EQ(live.status, 200);
  EXPECT_EQ(live.header("connection"), "close");
  const auto other = ask(server.port(), "GET", "/api/session");
  EXPECT_EQ(other.status, 503);
  EXPECT_EQ(other.header("retry-after"), "2");
  EXPECT_EQ(holding[3]->read_to_end(10s), "");
  EXPECT_EQ(holding[0]->call("GET", "/api/session").status, 401);  // still served
}

TEST(api_server, a_stop_answers_what_runs_and_closes_the_rest) {
  held_route held;
  test_server server({}, with(held.made()));
  raw_client idle(server.port()), busy(server.port());
  EXPECT_EQ(idle.call("GET", "/livez").status, 200);
  busy.send("GET /held HTTP/1.1\r\nHost: a\r\n\r\n");
  held.wait_entered();
  server.stop();
  EXPECT_EQ(idle.read_to_end(10s), "");
  EXPECT_FALSE(raw_client(server.port()).connected());
  server.in_server([&](api::services&) {
    held.release();
    return true;
  });
  const auto reply = busy.read_reply();
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->body, "\"held\"\n");
  EXPECT_EQ(reply->header("connection"), "close");
  EXPECT_TRUE(server.ends_within(10s));
}

TEST(api_server, what_runs_longer_than_the_grace_period_is_cut_off) {
  held_route held;
  api::server_limits limits;
  limits.grace = 50ms;
  test_server server(limits, with(held.made()));
  raw_client busy(server.port());
  busy.send("GET /held HTTP/1.1\r\nHost: a\r\n\r\n");
  held.wait_entered();
  server.stop();
  EXPECT_TRUE(server.ends_within(10s));
  EXPECT_EQ(busy.read_to_end(10s), "");
}

TEST(api_server, the_log_has_every_request_and_no_secret) {
  test_server server({}, with(echo(100)));
  ask(server.port(), "GET", "/nothing?ticket=hush1", {{"Authorization", "Bearer hush2"}});
  ask(server.port(), "POST", "/echo/shown", {{"Cookie", "rowrunner_session=hush3"}}, "hush4");
  const auto text = server.in_server([&](api::services&) { return server.log().text(); });
  EXPECT_THAT(text, HasSubstr("path=/nothing"));
  EXPECT_THAT(text, HasSubstr("status=404"));
  EXPECT_THAT(text, HasSubstr("route=/echo/{name}"));
  EXPECT_THAT(text, ::testing::Not(HasSubstr("hush")));
}

}  // namespace
}  // namespace rowrunner::testing
