#include "common/version.hpp"
#include "http_fixture.hpp"

namespace rowrunner::http {
namespace {

using ::testing::HasSubstr;

class http_client : public http_fixture {
 protected:
  http_stand_in server_;
  client http_{io_.get_executor()};

  std::string host() const { return "127.0.0.1:" + std::to_string(server_.port()); }
};

TEST_F(http_client, sends_a_get_byte_for_byte) {
  server_.on("GET /a/b", [](http_exchange& x) {
    x.answer(200, "hello", {{"X-Kind", "greeting"}});
  });
  request wanted(server_.url("/a/b?q=1%202#part"));
  wanted.headers.add("Accept", "text/plain");
  const auto answer = fetch(http_, wanted);
  EXPECT_EQ(answer.status, 200);
  EXPECT_TRUE(answer.ok());
  EXPECT_EQ(answer.body, "hello");
  EXPECT_EQ(answer.headers.get("x-KIND"), "greeting");
  EXPECT_EQ(answer.headers.get("X-Other"), std::nullopt);
  EXPECT_EQ(answer.final_url, server_.url("/a/b?q=1%202"));
  EXPECT_EQ(server_.calls().at(0).raw, "GET /a/b?q=1%202 HTTP/1.1\r\nHost: " + host() +
                                           "\r\nUser-Agent: rowrunner/" + std::string(version) +
                                           "\r\nAccept: text/plain\r\n\r\n");
}

TEST_F(http_client, sends_a_body_byte_for_byte) {
  server_.on("POST /", [](http_exchange& x) { x.answer(201); });
  request wanted("http://" + host(), "POST");
  wanted.headers.add("User-Agent", "other/2");
  wanted.body = std::string("a\0\r\n\r\nb", 7);
  EXPECT_EQ(fetch(http_, wanted).status, 201);
  EXPECT_EQ(server_.calls().at(0).raw, "POST / HTTP/1.1\r\nHost: " + host() +
                                           "\r\nUser-Agent: other/2\r\nContent-Length: 7\r\n\r\n" +
                                           wanted.body);
}

TEST_F(http_client, announces_an_empty_body_where_one_is_expected) {
  for (const char* method : {"POST", "PUT", "PATCH"}) {
    fetch(http_, request(server_.url(), method));
    EXPECT_EQ(server_.calls().back().header("Content-Length"), "0") << method;
  }
  for (const char* method : {"GET", "HEAD", "DELETE"}) {
    fetch(http_, request(server_.url(), method));
    EXPECT_EQ(server_.calls().back().header("Content-Length"), "") << method;
  }
}

TEST_F(http_client, sends_and_reads_megabytes) {
  server_.on("PUT /echo", [](http_exchange& x) { x.answer(200, x.call().body); });
  request wanted(server_.url("/echo"), "PUT");
  for (int i = 0; i < 1'000'000; ++i) wanted.body += std::to_string(i);
  EXPECT_EQ(fetch(http_, wanted).body, wanted.body);
}

TEST_F(http_client, any_status_is_an_answer) {
  for (const int status : {204, 304, 400, 404, 429, 500, 503}) {
    server_.on("GET /", [status](http_exchange& x) { x.answer(status); });
    EXPECT_EQ(fetch(http_, request(server_.url())).status, status);
  }
  server_.on("GET /", [](http_exchange& x) { x.write("HTTP/1.1 204 No Content\r\n\r\n"); });
  EXPECT_EQ(fetch(http_, request(server_.url())).status, 204);
  EXPECT_EQ(server_.connections(), 1);
}

TEST_F(http_client, reads_chunks) {
  server_.on("GET /", [](http_exchange& x) {
    x.write(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        "5;note=1\r\nhello\r\n1\r\n,\r\n6\r\n world\r\n0\r\nX-Sum: 1\r\n\r\n");
  });
  EXPECT_EQ(fetch(http_, request(server_.url())).body, "hello, world");
  EXPECT_EQ(fetch(http_, request(server_.url())).body, "hello, world");
  EXPECT_EQ(server_.connections(), 1);
}

TEST_F(http_client, a_head_has_no_body_whatever_its_length) {
  server_.on("HEAD /", [](http_exchange& x) {
    x.write("HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n");
  });
  const auto answer = fetch(http_, request(server_.url(), "HEAD"));
  EXPECT_EQ(answer.headers.get("Content-Length"), "1000000000");
  EXPECT_EQ(answer.body, "");
}

TEST_F(http_client, passes_over_interim_answers) {
  server_.on("GET /", [](http_exchange& x) {
    x.write("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n");
    x.answer(200, "last");
  });
  EXPECT_EQ(fetch(http_, request(server_.url())).body, "last");
  server_.on("GET /", [](http_exchange& x) {
    while (x.write("HTTP/1.1 100 Continue\r\n\r\n")) {
    }
  });
  EXPECT_EQ(failure(http_, request(server_.url())).kind(), error_kind::protocol);
  server_.on("GET /", [](http_exchange& x) {
    x.write("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n");
  });
  EXPECT_EQ(failure(http_, request(server_.url())).kind(), error_kind::protocol);
}

TEST_F(http_client, reads_to_the_end_of_the_connection_if_there_is_no_length) {
  server_.on("GET /", [](http_exchange& x) {
    x.write("HTTP/1.0 200 OK\r\n\r\nall of it");
    x.close();
  });
  EXPECT_EQ(fetch(http_, request(server_.url())).body, "all of it");
  EXPECT_EQ(http_.idle_connections(), 0U);
}

TEST_F(http_client, keeps_a_connection_and_uses_it_again) {
  for (int i = 0; i < 5; ++i) fetch(http_, request(server_.url()));
  EXPECT_EQ(server_.connections(), 1);
  EXPECT_EQ(http_.idle_connections(), 1U);
  http_.close_idle();
  EXPECT_TRUE(server_.wait_for_closed(1));
  fetch(http_, request(server_.url()));
  EXPECT_EQ(server_.connections(), 2);
}

TEST_F(http_client, does_not_keep_what_the_server_closes) {
  server_.on("GET /", [](http_exchange& x) { x.answer(200, "", {{"Connection", "close"}}); });
  fetch(http_, request(server_.url()));
  EXPECT_EQ(http_.idle_connections(), 0U);
}

TEST_F(http_client, does_not_keep_a_connection_with_bytes_that_were_not_asked_for) {
  server_.on("GET /", [](http_exchange& x) {
    x.write(
        "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
  });
  fetch(http_, request(server_.url()));
  EXPECT_EQ(http_.idle_connections(), 0U);
}

TEST_F(http_client, keeps_few_connections_and_not_for_long) {
  client_options few;
  few.max_idle = 2;
  client http(io_.get_executor(), few);
  int left = 6;
  play([&]() -> awaitable<void> {
    asio::steady_timer over(io_, asio::steady_timer::time_point::max());
    for (int i = 0; i < 6; ++i) {
      asio::co_spawn(io_, http.send(request(server_.url())),
                     [&](std::exception_ptr failed, const response&) {
                       EXPECT_FALSE(failed);
                       if (--left == 0) over.cancel();
                     });
    }
    co_await over.async_wait(asio::as_tuple(use_awaitable));
  });
  EXPECT_LE(http.idle_connections(), 2U);
  EXPECT_GE(http.idle_connections(), 1U);

  client_options brief;
  brief.idle_timeout = std::chrono::milliseconds(0);
  client forgetful(io_.get_executor(), brief);
  const int before = server_.connections();
  for (int i = 0; i < 3; ++i) fetch(forgetful, request(server_.url()));
  EXPECT_EQ(server_.connections(), before + 3);
}

TEST_F(http_client, does_not_use_a_connection_that_was_closed_meanwhile) {
  server_.on("GET /", [](http_exchange& x) {
    x.answer(200);
    x.close();
  });
  server_.on("POST /", [](http_exchange& x) { x.answer(200, "done"); });
  fetch(http_, request(server_.url()));
  ASSERT_TRUE(server_.wait_for_closed(1));
  EXPECT_EQ(fetch(http_, request(server_.url(), "POST")).body, "done");
  EXPECT_EQ(server_.calls("POST /").size(), 1U);
}

// The server closes just when it gets the second request of a connection.
TEST_F(http_client, sends_again_what_met_a_closing_connection_unless_it_may_count_twice) {
  server_.on("GET /warm", [](http_exchange& x) { x.answer(200); });
  for (const char* method : {"GET", "HEAD", "PUT", "DELETE", "POST", "PATCH"}) {
    const std::string name = std::string(method) + " /";
    fetch(http_, request(server_.url("/warm")));
    const int warm = server_.calls().back().connection;
    server_.on(name, [warm](http_exchange& x) {
      if (x.call().connection == warm) return x.close();
      x.answer(200);
    });
    request wanted(server_.url(), method);
    const bool unsafe = name == "POST /" || name == "PATCH /";
    if (unsafe) {
      EXPECT_EQ(failure(http_, wanted).kind(), error_kind::truncated) << method;
      EXPECT_EQ(server_.calls(name).size(), 1U) << method;
    } else {
      EXPECT_EQ(fetch(http_, wanted).status, 200) << method;
      EXPECT_EQ(server_.calls(name).size(), 2U) << method;
    }
  }
}

TEST_F(http_client, a_new_connection_that_is_closed_is_not_tried_again) {
  server_.on("GET /", [](http_exchange& x) { x.close(); });
  EXPECT_EQ(failure(http_, request(server_.url())).kind(), error_kind::truncated);
  EXPECT_EQ(server_.calls().size(), 1U);
}

TEST_F(http_client, many_requests_run_at_once) {
  server_.on("GET /", [](http_exchange& x) { x.answer(200, x.call().target); });
  int left = 50;
  play([&]() -> awaitable<void> {
    asio::steady_timer over(io_, asio::steady_timer::time_point::max());
    for (int i = 0; i < 50; ++i) {
      const std::string target = "/?n=" + std::to_string(i);
      asio::co_spawn(io_, http_.send(request(server_.url(target))),
                     [&, target](std::exception_ptr failed, const response& answer) {
                       EXPECT_FALSE(failed);
                       EXPECT_EQ(answer.body, target);
                       if (--left == 0) over.cancel();
                     });
    }
    co_await over.async_wait(asio::as_tuple(use_awaitable));
  });
  EXPECT_EQ(server_.calls().size(), 50U);
}

TEST_F(http_client, refuses_headers_that_would_change_the_request) {
  const std::string secret = "hunter2";
  for (const std::string& value :
       {secret + "\r\nX-Evil: 1", secret + "\n", secret + std::string(1, '\0')}) {
    request wanted(server_.url());
    wanted.headers.add("Authorization", value);
    const auto why = failure(http_, wanted);
    EXPECT_EQ(why.kind(), error_kind::bad_request);
    EXPECT_THAT(why.what(), HasSubstr("Authorization"));
    EXPECT_THAT(why.what(), ::testing::Not(HasSubstr(secret)));
  }
  for (const char* name :
       {"", "X Y", "X:", "X\r\n", "Host", "content-length", "Transfer-Encoding"}) {
    request wanted(server_.url());
    wanted.headers.add(name, "1");
    EXPECT_EQ(failure(http_, wanted).kind(), error_kind::bad_request) << name;
  }
  for (const char* method : {"", "GET /x", "CONNECT", "G\r\nET"}) {
    EXPECT_EQ(failure(http_, request(server_.url(), method)).kind(), error_kind::bad_request);
  }
  EXPECT_EQ(server_.connections(), 0);
}

TEST_F(http_client, outlives_its_coroutines_in_either_order) {
  server_.on("GET /", [](http_exchange& x) { x.hang(); });
  auto io = std::make_unique<asio::io_context>();
  auto http = std::make_unique<client>(io->get_executor());
  asio::co_spawn(*io, http->send(request(server_.url())), asio::detached);
  while (server_.calls().empty()) io->run_one_for(std::chrono::milliseconds(10));
  http.reset();
  io.reset();
  EXPECT_TRUE(server_.wait_for_closed(1));
}

}  // namespace
}  // namespace rowrunner::http
