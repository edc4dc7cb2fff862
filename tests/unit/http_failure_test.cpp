#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <future>
#include <thread>

#include "http_fixture.hpp"

namespace rowrunner::http {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Not;

class http_failure : public http_fixture {
 protected:
  http_stand_in server_;
  client http_{io_.get_executor()};

  request brief(const std::string& path = "/") const {
    request wanted(server_.url(path));
    wanted.timeout = 150ms;
    return wanted;
  }

  void answer_raw(const std::string& bytes) {
    server_.on("GET /", [bytes](http_exchange& x) {
      x.write(bytes);
      x.close();
    });
  }
};

/// A port that accepts no connection.
class listening_port {
 public:
  explicit listening_port(int backlog) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    address_.sin_family = AF_INET;
    address_.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address_;
    EXPECT_EQ(::bind(socket_, raw(), size), 0);
    EXPECT_EQ(::listen(socket_, backlog), 0);
    EXPECT_EQ(::getsockname(socket_, raw(), &size), 0);
  }
  ~listening_port() { ::close(socket_); }
  listening_port(const listening_port&) = delete;
  listening_port& operator=(const listening_port&) = delete;

  sockaddr* raw() { return reinterpret_cast<sockaddr*>(&address_); }
  int socket() const { return socket_; }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(ntohs(address_.sin_port)); }

 private:
  int socket_;
  sockaddr_in address_{};
};

/// A port that takes no more connections: SYNs are dropped, so that connecting hangs.
class full_port : public listening_port {
 public:
  full_port() : listening_port(0) {
    for (int& each : callers_) {
      each = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
      (void)::connect(each, raw(), sizeof(sockaddr_in));
    }
  }
  ~full_port() {
    for (const int each : callers_) ::close(each);
  }

 private:
  int callers_[4] = {};
};

TEST_F(http_failure, a_connection_that_hangs) {
  const full_port port;
  client_options options;
  options.connect_timeout = 100ms;
  client http(io_.get_executor(), options);
  const auto why = failure(http, request(port.url()));
  EXPECT_EQ(why.kind(), error_kind::timeout);
  EXPECT_EQ(std::string(why.what()), port.url() + ": no connection in time");
}

TEST_F(http_failure, no_server_listens) {
  std::string url;
  {
    const http_stand_in gone;
    url = gone.url();
  }
  const auto why = failure(http_, request(url));
  EXPECT_EQ(why.kind(), error_kind::connect);
  EXPECT_THAT(why.what(), HasSubstr("refused"));
}

TEST_F(http_failure, a_host_that_does_not_exist) {
  request wanted("http://no-such-host.invalid/");
  const auto why = failure(http_, wanted);
  EXPECT_EQ(why.kind(), error_kind::resolve);
  EXPECT_THAT(why.what(), HasSubstr("no-such-host.invalid"));
}

TEST_F(http_failure, a_server_that_says_nothing) {
  server_.on("GET /", [](http_exchange& x) { x.hang(); });
  EXPECT_EQ(failure(http_, brief()).kind(), error_kind::timeout);
  EXPECT_TRUE(server_.wait_for_closed(1));
}

TEST_F(http_failure, a_server_that_stops_in_the_body) {
  server_.on("GET /", [](http_exchange& x) {
    x.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf");
    x.hang();
  });
  EXPECT_EQ(failure(http_, brief()).kind(), error_kind::timeout);
  EXPECT_TRUE(server_.wait_for_closed(1));
}

TEST_F(http_failure, a_server_that_drips) {
  server_.on("GET /", [](http_exchange& x) {
    x.drip("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n" + std::string(100000, 'x'), 5ms);
  });
  EXPECT_EQ(failure(http_, brief()).kind(), error_kind::timeout);
  EXPECT_TRUE(server_.wait_for_closed(1));
}

TEST_F(http_failure, a_server_that_does_not_read) {
  const listening_port port(8);
  request wanted(port.url(), "POST");
  wanted.body.assign(20'000'000, 'x');
  wanted.timeout = 150ms;
  EXPECT_EQ(failure(http_, wanted).kind(), error_kind::timeout);
}

TEST_F(http_failure, an_answer_that_is_cut) {
  for (const char* bytes :
       {"", "HTTP/1.1 2", "HTTP/1.1 200 OK\r\nContent-Le",
        "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"}) {
    answer_raw(bytes);
    EXPECT_EQ(failure(http_, request(server_.url())).kind(), error_kind::truncated) << bytes;
  }
}

TEST_F(http_failure, an_answer_that_is_not_http) {
  for (const std::string& bytes :
       {std::string("SSH-2.0-OpenSSH_9.2\r\n"), std::string("<html>hello</html>\r\n\r\n"),
        std::string(200, '\0'), std::string("HTTP/1.1 abc\r\n\r\n"),
        std::string("HTTP/1.1 200 OK\r\nContent-Length: many\r\n\r\n"),
        std::string("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n")}) {
    answer_raw(bytes);
    const auto why = failure(http_, request(server_.url()));
    EXPECT_EQ(why.kind(), error_kind::protocol) << bytes << why.what();
    EXPECT_EQ(std::string(why.what()).find('\n'), std::string::npos);
  }
}

TEST_F(http_failure, a_body_that_is_too_large) {
  constexpr std::size_t huge = 50 * 1024 * 1024;
  std::size_t written = 0;
  const std::string block(64 * 1024, 'x');
  const auto pour = [&](http_exchange& x) {
    for (written = 0; written < huge && x.write(block);) written += block.size();
    x.close();
  };
  server_.on("GET /announced", [&](http_exchange& x) {
    x.write("HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(huge) + "\r\n\r\n");
    pour(x);
  });
  server_.on("GET /endless", [&](http_exchange& x) {
    x.write("HTTP/1.1 200 OK\r\n\r\n");
    pour(x);
  });
  server_.on("GET /chunked", [&](http_exchange& x) {
    x.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3200000\r\n");
    pour(x);
  });
  std::size_t closed = 0;
  for (const char* path : {"/announced", "/endless", "/chunked"}) {
    request wanted(server_.url(path));
    wanted.max_body = 1'000'000;
    const auto why = failure(http_, wanted);
    EXPECT_EQ(why.kind(), error_kind::too_large) << path;
    EXPECT_THAT(why.what(), HasSubstr("1000000 bytes"));
    EXPECT_TRUE(server_.wait_for_closed(++closed));
    EXPECT_LT(written, huge) << path;
  }
}

// 64 KiB of it are kept, however it is sent, and the status counts.
TEST_F(http_failure, the_body_of_a_refusal_is_cut_off) {
  constexpr std::size_t huge = 26 * 1024 * 1024;
  std::size_t written = 0;
  const std::string block(64 * 1024, '[');
  const auto pour = [&](http_exchange& x, const std::string& head) {
    x.write("HTTP/1.1 500 Broken\r\n" + head + "\r\n");
    for (written = 0; written < huge && x.write(block);) written += block.size();
    x.close();
  };
  server_.on("GET /announced", [&](http_exchange& x) {
    pour(x, "Content-Length: " + std::to_string(huge) + "\r\n");
  });
  server_.on("GET /endless", [&](http_exchange& x) { pour(x, ""); });
  server_.on("GET /chunked",
             [&](http_exchange& x) { pour(x, "Transfer-Encoding: chunked\r\n\r\n1a00000"); });
  std::size_t closed = 0;
  for (const char* path : {"/announced", "/endless", "/chunked"}) {
    for (const std::size_t max_body : {100u, 1u << 30}) {
      request wanted(server_.url(path));
      wanted.max_body = max_body;
      const auto answer = fetch(http_, wanted);
      EXPECT_EQ(answer.status, 500) << path;
      EXPECT_LE(answer.body.size(), 64 * 1024u) << path;
      EXPECT_TRUE(server_.wait_for_closed(++closed));
      EXPECT_LT(written, huge) << path;
    }
  }
  server_.on("GET /", [](http_exchange& x) { x.answer(404, std::string(64 * 1024, 'x')); });
  EXPECT_EQ(fetch(http_, request(server_.url())).body.size(), 64 * 1024u);
  EXPECT_EQ(http_.idle_connections(), 1U) << "what was read to its end is used again";
}

TEST_F(http_failure, a_body_of_just_the_limit) {
  server_.on("GET /", [](http_exchange& x) { x.answer(200, std::string(1000, 'x')); });
  request wanted(server_.url());
  wanted.max_body = 1000;
  EXPECT_EQ(fetch(http_, wanted).body.size(), 1000U);
  wanted.max_body = 999;
  EXPECT_EQ(failure(http_, wanted).kind(), error_kind::too_large);
}

TEST_F(http_failure, a_header_that_is_too_large) {
  answer_raw("HTTP/1.1 200 OK\r\nX-Long: " + std::string(1'000'000, 'x') + "\r\n\r\n");
  EXPECT_EQ(failure(http_, request(server_.url())).kind(), error_kind::too_large);
  std::string many = "HTTP/1.1 200 OK\r\n";
  for (int i = 0; i < 100'000; ++i) many += "X: y\r\n";
  answer_raw(many + "\r\n");
  EXPECT_EQ(failure(http_, request(server_.url())).kind(), error_kind::too_large);
  answer_raw("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX-Long: " + std::string(60'000, 'x') +
             "\r\n\r\n");
  EXPECT_EQ(fetch(http_, request(server_.url())).headers.get("X-Long")->size(), 60'000U);
}

TEST_F(http_failure, an_early_refusal_counts_although_the_request_was_not_read) {
  const listening_port port(8);
  std::thread server([&] {
    const int client = ::accept(port.socket(), nullptr, nullptr);
    char first = 0;
    EXPECT_EQ(::recv(client, &first, 1, 0), 1);
    const std::string answer = "HTTP/1.1 413 Too Large\r\nContent-Length: 4\r\n\r\nmuch";
    EXPECT_EQ(::send(client, answer.data(), answer.size(), 0), static_cast<ssize_t>(answer.size()));
    ::close(client);
  });
  request wanted(port.url(), "POST");
  wanted.body.assign(20'000'000, 'x');
  const auto answer = fetch(http_, wanted);
  server.join();
  EXPECT_EQ(answer.status, 413);
  EXPECT_EQ(answer.body, "much");
  EXPECT_EQ(http_.idle_connections(), 0U);
}

TEST_F(http_failure, messages_hold_no_secret) {
  server_.on("GET /path-secret", [](http_exchange& x) { x.hang(); });
  request wanted(server_.url("/path-secret?key=query-secret"));
  wanted.timeout = 50ms;
  wanted.headers.add("Authorization", "Bearer header-secret");
  EXPECT_THAT(failure(http_, wanted).what(), Not(HasSubstr("secret")));
  for (const char* url :
       {"https://user:secret@example.com/", "http://example.com:secret/", "ftp://secret/",
        "http://exa mple.com/?secret", "secret", "http:///secret", "http://a%2fsecret/"}) {
    const auto why = failure(http_, request(url));
    EXPECT_EQ(why.kind(), error_kind::bad_url) << url;
    EXPECT_THAT(why.what(), Not(HasSubstr("secret")));
  }
}

TEST_F(http_failure, cancelled_while_it_connects) {
  const full_port port;
  EXPECT_TRUE(is_cancelled(http_, request(port.url()), [](auto cancel) { cancel(); }));
}

TEST_F(http_failure, cancelled_before_the_header) {
  EXPECT_TRUE(is_cancelled(http_, request(server_.url()), [this](auto cancel) {
    server_.on("GET /", [cancel](http_exchange& x) {
      cancel();
      x.hang();
    });
  }));
  EXPECT_TRUE(server_.wait_for_closed(1));
  EXPECT_EQ(http_.idle_connections(), 0U);
}

TEST_F(http_failure, cancelled_in_the_body) {
  EXPECT_TRUE(is_cancelled(http_, request(server_.url()), [this](auto cancel) {
    server_.on("GET /", [cancel](http_exchange& x) {
      x.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf");
      cancel();
      x.hang();
    });
  }));
  EXPECT_TRUE(server_.wait_for_closed(1));
}

// The connection is kept from the request before, so the write and the read begin at once, and the
// cancellation comes when the first half was read and is on its way to the client.
TEST_F(http_failure, cancelled_between_two_pieces_of_the_answer) {
  server_.on("GET /first", [](http_exchange& x) { x.answer(200); });
  fetch(http_, request(server_.url("/first")));
  ASSERT_EQ(http_.idle_connections(), 1U);
  std::promise<void> half_sent;
  EXPECT_TRUE(is_cancelled(http_, request(server_.url()), [&](auto cancel) {
    server_.on("GET /", [cancel, &half_sent](http_exchange& x) {
      x.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf");
      cancel();
      half_sent.set_value();
      x.hang();
    });
    asio::post(io_, [&half_sent] { half_sent.get_future().wait(); });
  }));
}

TEST_F(http_failure, cancelled_during_the_look_up) {
  EXPECT_TRUE(
      is_cancelled(http_, request("http://no-such-host.invalid/"), [](auto cancel) { cancel(); }));
}

}  // namespace
}  // namespace rowrunner::http
