// Requests that are wrong: each gets 4xx or a closed connection, and the server goes on.
#include <sys/resource.h>

#include <algorithm>
#include <fstream>
#include <regex>

#include "api/malformed_requests.hpp"
#include "api/server_fixture.hpp"
#include "api/test_server.hpp"

namespace rowrunner::testing {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

/// The status of every answer in what a connection received.
std::vector<int> statuses(const std::string& received) {
  std::vector<int> out;
  const std::regex line("HTTP/1\\.[01] ([0-9]{3}) ");
  for (std::sregex_iterator at(received.begin(), received.end(), line), end; at != end; ++at) {
    out.push_back(std::stoi((*at)[1]));
  }
  return out;
}

class api_malformed : public ::testing::Test {
 protected:
  api_malformed() {
    server_.note_ready();
    rlimit files{};
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = files.rlim_max;
    setrlimit(RLIMIT_NOFILE, &files);
  }

  api_database db_;
  const std::string token_ = db_.token("u", "user");
  test_server server_{{}, api::all_routes(), db_.url()};
};

TEST_F(api_malformed, requests_get_4xx_or_a_closed_connection) {
  const auto all = malformed_requests();
  EXPECT_GE(all.size(), 150u);
  for (const auto& each : all) {
    raw_client client(server_.port());
    ASSERT_TRUE(client.connected()) << each.name;
    client.send(each.bytes);
    client.half_close();
    const auto received = client.read_to_end(20s);
    ASSERT_TRUE(received) << each.name << ": left open";
    const auto got = statuses(*received);
    const int first = got.empty() ? closed : got.front();
    EXPECT_EQ(first, each.expected) << each.name << "\n" << *received;
    for (const int status : got) EXPECT_LT(status, 500) << each.name << "\n" << *received;
    EXPECT_LE(got.size(), 1u) << each.name << ": what followed was taken for a request";
  }
  EXPECT_EQ(ask(server_.port(), "GET", "/livez").status, 200);
}

// Every byte that a header field must not have, and every one that a path must have encoded.
TEST_F(api_malformed, control_characters_are_refused_everywhere) {
  for (int code = 0; code < 256; ++code) {
    const bool control = (code < 0x20 && code != '\t') || code == 0x7F;
    const std::string byte(1, static_cast<char>(code));
    raw_client in_field(server_.port()), in_path(server_.port());
    in_field.send("GET /livez HTTP/1.1\r\nHost: a\r\nX: a" + byte + "b\r\n\r\n");
    in_field.half_close();
    const auto field = statuses(in_field.read_to_end(20s).value_or(""));
    EXPECT_THAT(field, ::testing::ElementsAre(control ? 400 : 200)) << code;
    if (!control && code != '\t' && code < 0x80) continue;
    in_path.send("GET /a" + byte + "b HTTP/1.1\r\nHost: a\r\n\r\n");
    in_path.half_close();
    EXPECT_THAT(statuses(in_path.read_to_end(20s).value_or("")), ::testing::ElementsAre(400))
        << code;
  }
}

// Cut anywhere, a good request is a closed connection.
TEST_F(api_malformed, a_request_that_is_cut_anywhere_gets_no_answer) {
  const auto body = token_body("rr_1_x");
  const std::string whole =
      "POST /api/session HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
      "Content-Length: " +
      std::to_string(body.size()) + "\r\n\r\n" + body;
  for (std::size_t cut = 0; cut < whole.size(); ++cut) {
    raw_client client(server_.port());
    client.send(std::string_view(whole).substr(0, cut));
    client.half_close();
    EXPECT_EQ(client.read_to_end(20s), "") << cut;
  }
  raw_client client(server_.port());
  client.send(whole);
  EXPECT_EQ(client.read_reply().value().status, 401);
}

// One flipped byte of a good request: whatever it becomes, it is no 5xx.
TEST_F(api_malformed, a_request_with_one_wrong_byte_gets_no_5xx) {
  const std::string whole =
      "POST /api/session HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
      "Transfer-Encoding: chunked\r\n\r\n10\r\n{\"token\":\"rr_1\"}\r\n0\r\n\r\n";
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (const char flip : {'\x01', '\x20', '\x7F'}) {
      auto wrong = whole;
      wrong[at] = static_cast<char>(wrong[at] ^ flip);
      raw_client client(server_.port());
      client.send(wrong);
      client.half_close();
      const auto received = client.read_to_end(20s);
      ASSERT_TRUE(received) << at;
      for (const int status : statuses(*received)) EXPECT_LT(status, 500) << at << *received;
    }
  }
  EXPECT_EQ(ask(server_.port(), "GET", "/livez").status, 200);
}

// What JSON parsers disagree on, wrong types and unknown members, at every route that takes a body.
TEST_F(api_malformed, bodies_of_other_routes_get_4xx) {
  const auto token = db_.token("o", "operator");
  const std::string id = "01900000-0000-7000-8000-000000000000";
  std::vector<std::string> bodies{"null",
                                  "true",
                                  "0",
                                  "\"x\"",
                                  "[]",
                                  "[{}]",
                                  "{",
                                  "}",
                                  "{}}",
                                  "{,}",
                                  "{\"kind\"}",
                                  "{\"kind\":}",
                                  "{\"kind\":\"a\",}",
                                  "{'kind':'a'}",
                                  "{kind:\"a\"}",
                                  "{\"kind\":\"a\"} x",
                                  "{\"kind\":null}",
                                  "{\"kind\":[]}",
                                  "{\"kind\":{}}",
                                  "{\"kind\":1e999}",
                                  "{\"kind\":01}",
                                  "{\"kind\":+1}",
                                  "{\"kind\":.5}",
                                  "{\"kind\":0x1}",
                                  "{\"kind\":NaN}",
                                  "{\"kind\":Infinity}",
                                  "{\"kind\":\"\\x\"}",
                                  "{\"kind\":\"\\u12\"}",
                                  "{\"kind\":\"\\ud800\"}",
                                  "{\"kind\":\"\\u0000\"}",
                                  "{\"kind\":\"a\tb\"}",
                                  "{\"kind\":\"\xff\"}",
                                  "{\"kind\":\"\xc0\x80\"}",
                                  "{\"kind\":\"\xed\xa0\x80\"}",
                                  "\xef\xbb\xbf{\"kind\":\"a\"}",
                                  "{\"kind\":\"a\",\"fingerprint\":1}",
                                  "{\"reason\":[]}",
                                  "{\"cascade\":\"yes\"}",
                                  "{\"cascade\":null}",
                                  "{\"why\":\"\"}",
                                  "/**/{}",
                                  "{}//",
                                  "{\"kind\":\"a\" \"b\":1}",
                                  "<kind/>",
                                  "kind=a"};
  bodies.push_back(std::string(3000, '['));
  bodies.push_back("{\"kind\":" + std::string(1000, '[') + std::string(1000, ']') + "}");
  int refused = 0;
  for (const std::string& path :
       {std::string("/api/failed/retry"), "/api/jobs/none/" + id + "/cancel"}) {
    for (const auto& body : bodies) {
      const auto reply =
          ask(server_.port(), "POST", path,
              {{"Authorization", "Bearer " + token}, {"Content-Type", "application/json"}}, body);
      EXPECT_TRUE(reply.status >= 400 && reply.status < 500)
          << reply.status << ' ' << path << ' ' << body;
      ++refused;
    }
  }
  EXPECT_GE(refused, 90);
  EXPECT_EQ(db_.value("SELECT count(*) FROM rowrunner.operations"), "0");
}

TEST_F(api_malformed, connections_that_are_reset_do_no_harm) {
  for (int i = 0; i < 200; ++i) {
    raw_client client(server_.port());
    client.send("GET /livez HTTP/1.1\r\nHost: a\r\n\r\n");
  }  // closed with an answer unread, which resets it
  EXPECT_EQ(ask(server_.port(), "GET", "/livez").status, 200);
}

/// As many as this process may have descriptors for.
int most_connections() {
  rlimit files{};
  getrlimit(RLIMIT_NOFILE, &files);
  constexpr rlim_t wanted = 10'000, others = 200;
  return static_cast<int>(std::min(wanted, files.rlim_cur - others));
}

/// The memory that a process has now.
long resident_kb(pid_t process) {
  std::ifstream status("/proc/" + std::to_string(process) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmRSS:")) return std::stol(line.substr(6));
  }
  return -1;
}

TEST_F(api_malformed, more_connections_than_slots_leave_health_answering) {
  served server(db_.url());
  std::vector<std::unique_ptr<raw_client>> holding;
  const auto before = resident_kb(server.process().pid());
  for (int i = 0; i < most_connections(); ++i) {
    holding.push_back(std::make_unique<raw_client>(server.port()));
    ASSERT_TRUE(holding.back()->connected()) << i;
    holding.back()->send("GET /livez HT");
    if (i % 250 != 249) continue;
    EXPECT_EQ(ask(server.port(), "GET", "/livez").status, 200) << i;
  }
  // Those that it holds, of 20 kB and a little more each.
  EXPECT_LT(resident_kb(server.process().pid()) - before, 100'000);
  EXPECT_EQ(ask(server.port(), "GET", "/readyz").status, 200);
  EXPECT_EQ(ask(server.port(), "GET", "/api/session").status, 503);
}

}  // namespace
}  // namespace rowrunner::testing
