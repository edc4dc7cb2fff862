#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "http_fixture.hpp"

namespace rowrunner::http {
namespace {

using rowrunner::testing::certificate;
using rowrunner::testing::make_certificate;
using ::testing::HasSubstr;

/// A file that goes away with the test.
class pem_file {
 public:
  explicit pem_file(const std::string& text) {
    path_ = (std::filesystem::temp_directory_path() / "rowrunner-pem-XXXXXX").string();
    ::close(::mkstemp(path_.data()));
    std::ofstream(path_) << text;
  }
  ~pem_file() { std::filesystem::remove(path_); }
  pem_file(const pem_file&) = delete;
  pem_file& operator=(const pem_file&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

class http_tls : public http_fixture {
 protected:
  client_options trusting(const std::string& path) const {
    client_options options;
    options.ca_file = path;
    return options;
  }

  const certificate local_ = make_certificate({"DNS:localhost", "IP:127.0.0.1"});
  const pem_file authority_{local_.certificate_pem};
};

TEST_F(http_tls, asks_a_server_whose_certificate_is_good) {
  http_stand_in server(local_);
  server.on("GET /", [](http_exchange& x) { x.answer(200, "private"); });
  client http(io_.get_executor(), trusting(authority_.path()));
  EXPECT_EQ(fetch(http, request(server.url("/", "127.0.0.1"))).body, "private");
  EXPECT_EQ(fetch(http, request(server.url("/", "localhost"))).body, "private");
  EXPECT_EQ(fetch(http, request(server.url("/", "LocalHost"))).body, "private");
  EXPECT_EQ(server.connections(), 2);
  EXPECT_EQ(http.idle_connections(), 2U);
}

TEST_F(http_tls, refuses_a_certificate_for_another_host) {
  const auto other = make_certificate({"DNS:example.com", "DNS:*.localhost", "IP:127.0.0.2"});
  const pem_file authority(other.certificate_pem);
  http_stand_in server(other);
  client http(io_.get_executor(), trusting(authority.path()));
  for (const char* host : {"localhost", "127.0.0.1"}) {
    const auto why = failure(http, request(server.url("/", host)));
    EXPECT_EQ(why.kind(), error_kind::tls) << host;
    EXPECT_THAT(why.what(), HasSubstr("mismatch")) << host;
  }
  EXPECT_TRUE(server.calls().empty());
}

TEST_F(http_tls, refuses_an_authority_that_is_not_trusted) {
  http_stand_in server(local_);
  client http(io_.get_executor());
  const auto why = failure(http, request(server.url()));
  EXPECT_EQ(why.kind(), error_kind::tls);
  EXPECT_THAT(why.what(), HasSubstr("self-signed"));
  EXPECT_TRUE(server.calls().empty());
}

TEST_F(http_tls, a_server_that_speaks_no_tls) {
  http_stand_in plain;
  client http(io_.get_executor());
  request wanted("https://127.0.0.1:" + std::to_string(plain.port()));
  // It waits for the end of a header that never comes.
  wanted.timeout = std::chrono::milliseconds(100);
  EXPECT_EQ(failure(http, wanted).kind(), error_kind::timeout);
  EXPECT_TRUE(plain.wait_for_closed(1));
}

TEST_F(http_tls, a_file_of_authorities_that_is_none) {
  http_stand_in server(local_);
  client http(io_.get_executor(), trusting("/no/such/file"));
  const auto why = failure(http, request(server.url()));
  EXPECT_EQ(why.kind(), error_kind::tls);
  EXPECT_THAT(why.what(), HasSubstr("/no/such/file"));
}

TEST_F(http_tls, an_answer_without_length_that_ends_without_close_notify_is_cut) {
  http_stand_in server(local_);
  client http(io_.get_executor(), trusting(authority_.path()));
  server.on("GET /cut", [](http_exchange& x) {
    x.write("HTTP/1.1 200 OK\r\n\r\nhalf");
    x.abort();
  });
  server.on("GET /whole", [](http_exchange& x) {
    x.write("HTTP/1.1 200 OK\r\n\r\nwhole");
    x.close();
  });
  EXPECT_EQ(failure(http, request(server.url("/cut"))).kind(), error_kind::truncated);
  EXPECT_EQ(fetch(http, request(server.url("/whole"))).body, "whole");
}

TEST_F(http_tls, sends_again_what_met_a_closing_connection) {
  http_stand_in server(local_);
  client http(io_.get_executor(), trusting(authority_.path()));
  server.on("GET /warm", [](http_exchange& x) { x.answer(200); });
  for (const bool orderly : {true, false}) {
    fetch(http, request(server.url("/warm")));
    const int warm = server.calls().back().connection;
    server.on("GET /", [warm, orderly](http_exchange& x) {
      if (x.call().connection != warm) return x.answer(200, "second");
      orderly ? x.close() : x.abort();
    });
    EXPECT_EQ(fetch(http, request(server.url())).body, "second");
  }
}

TEST_F(http_tls, a_redirect_to_plain_http_is_refused) {
  http_stand_in server(local_);
  http_stand_in plain;
  server.on("GET /", [&](http_exchange& x) { x.answer(302, "", {{"Location", plain.url()}}); });
  client http(io_.get_executor(), trusting(authority_.path()));
  request wanted(server.url());
  wanted.follow_redirects = 3;
  EXPECT_EQ(failure(http, wanted).kind(), error_kind::refused);
  EXPECT_EQ(plain.connections(), 0);
}

TEST_F(http_tls, sends_and_reads_megabytes) {
  http_stand_in server(local_);
  client http(io_.get_executor(), trusting(authority_.path()));
  server.on("POST /", [](http_exchange& x) { x.answer(200, x.call().body); });
  request wanted(server.url(), "POST");
  for (int i = 0; i < 500'000; ++i) wanted.body += std::to_string(i);
  EXPECT_EQ(fetch(http, wanted).body, wanted.body);
}

TEST_F(http_tls, cancelled_during_the_handshake_and_the_body) {
  http_stand_in plain;
  client http(io_.get_executor(), trusting(authority_.path()));
  asio::steady_timer soon(io_);
  request mute("https://127.0.0.1:" + std::to_string(plain.port()));
  EXPECT_TRUE(is_cancelled(http, mute, [&](auto cancel) {
    // There is no signal from a handshake; every moment is a good one to cancel.
    soon.expires_after(std::chrono::milliseconds(20));
    soon.async_wait([cancel](auto) { cancel(); });
  }));
  http_stand_in server(local_);
  EXPECT_TRUE(is_cancelled(http, request(server.url()), [&](auto cancel) {
    server.on("GET /", [cancel](http_exchange& x) {
      x.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf");
      cancel();
      x.hang();
    });
  }));
  EXPECT_TRUE(server.wait_for_closed(1));
}

}  // namespace
}  // namespace rowrunner::http
