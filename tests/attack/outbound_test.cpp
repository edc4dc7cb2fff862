// Addresses that an attacker names, in every spelling, by DNS and by redirects: none of them leads
// the guarded client to a place that the policy forbids.

#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <condition_variable>
#include <mutex>
#include <sstream>

#include "common/http/guarded_client.hpp"
#include "common/log.hpp"
#include "unit/http_fixture.hpp"

namespace rowrunner::http {
namespace {

using asio::ip::address;
using asio::ip::make_address;
using ::testing::HasSubstr;
using ::testing::Not;
using addresses = std::vector<address>;

class outbound : public http_fixture {
 protected:
  outbound() {
    server_.on("GET /", [](http_exchange& x) { x.answer(200, "reached"); });
  }

  event_log log() {
    auto sink = std::make_shared<spdlog::sinks::ostream_sink_st>(log_text_);
    return event_log(std::make_shared<logger>(std::make_shared<spdlog::logger>("test", sink),
                                              log_level::info, "", log_format::json));
  }

  /// A client whose DNS is `names_`; each look-up of a host gives the next of its answers.
  std::unique_ptr<guarded_client> guarded(const std::string& allowed = "") {
    address_policy policy;
    if (!allowed.empty()) policy.allowed = parse_networks(allowed, "allowed");
    client_options options;
    options.lookup = [this](const std::string& host) -> addresses {
      auto& answers = names_[host];
      ++lookups_[host];
      if (answers.empty()) throw error(error_kind::resolve, "no such host");
      auto next = answers.front();
      if (answers.size() > 1) answers.erase(answers.begin());
      return next;
    };
    return std::make_unique<guarded_client>(io_.get_executor(), policy, log(), options);
  }

  std::string result(guarded_client& http, request wanted) {
    std::string out;
    play([&]() -> awaitable<void> {
      request copy = wanted;
      try {
        const auto answer = co_await http.send(std::move(copy));
        out = std::to_string(answer.status) + " " + answer.body;
      } catch (const error& why) {
        out = why.what();
      }
    });
    return out;
  }
  std::string result(guarded_client& http, const std::string& url) {
    request wanted(url);
    wanted.follow_redirects = 3;
    return result(http, std::move(wanted));
  }

  std::string port() const { return std::to_string(server_.port()); }
  void redirect_to(const std::string& location) {
    server_.on("GET /away", [location](http_exchange& x) {
      x.answer(302, "", {{"Location", location}});
    });
  }

  http_stand_in server_;
  std::map<std::string, std::vector<addresses>> names_;
  std::map<std::string, int> lookups_;
  std::ostringstream log_text_;
};

TEST_F(outbound, every_spelling_of_a_forbidden_address_is_refused) {
  const auto http = guarded();
  for (const std::string host : {"127.0.0.1",
                                 "127.1",
                                 "127.0.1",
                                 "2130706433",
                                 "0x7f000001",
                                 "0x7f.0.0.1",
                                 "0x7f.1",
                                 "0X7F.0.0.1",
                                 "0177.0.0.1",
                                 "017700000001",
                                 "0177.1",
                                 "127.0.0.01",
                                 "127.0.0.1.",
                                 "127.000.000.001",
                                 "00127.0.0.1",
                                 "4294967297",
                                 "0",
                                 "0.0.0.0",
                                 "0x0",
                                 "1.2.3.4.5",
                                 "169.254.1.1",
                                 "0xa9fe0101",
                                 "2851995905",
                                 "0251.0376.01.01",
                                 "%31%32%37.0.0.1",
                                 "127%2e0%2e0%2e1",
                                 "localhost.",
                                 "example.com.",
                                 "１２７.0.0.1",
                                 "１２７．０．０．１",
                                 "①②⑦.⓪.⓪.①",
                                 "127。0。0。1",
                                 "ｌｏｃａｌｈｏｓｔ",
                                 "lоcalhost",
                                 "localhost%00.example.com",
                                 "user@example.com",
                                 "user:secret@example.com",
                                 "example.com@127.0.0.1",
                                 "127.0.0.1:80@example.com",
                                 "example.com\\@127.0.0.1",
                                 "[::1]",
                                 "[::]",
                                 "[0:0:0:0:0:0:0:1]",
                                 "[::127.0.0.1]",
                                 "[::ffff:127.0.0.1]",
                                 "[::ffff:7f00:1]",
                                 "[::ffff:8.8.8.8]",
                                 "[0:0:0:0:0:ffff:7f00:0001]",
                                 "[64:ff9b::127.0.0.1]",
                                 "[64:ff9b::7f00:1]",
                                 "[64:ff9b:1::7f00:1]",
                                 "[2002:7f00:1::]",
                                 "[2001:0:7f00:1::]",
                                 "[fe80::1]",
                                 "[fe80::1%25lo]",
                                 "[fe80::1%lo]",
                                 "[fe80::1%251]",
                                 "[::1%25lo]",
                                 "[fd00:ec2::254]",
                                 "[fec0::1]",
                                 "[ff02::1]",
                                 "[::1",
                                 "::1",
                                 "[v1.x]",
                                 "[]",
                                 "127.0.0.1 ",
                                 " 127.0.0.1",
                                 "127.0.0.1\t",
                                 "127.0.0.1\r\nHost: a",
                                 ""}) {
    for (const std::string scheme : {"http://", "https://", "HTTP://"}) {
      EXPECT_EQ(result(*http, scheme + host + "/"), "address refused") << scheme << host;
      EXPECT_EQ(result(*http, scheme + host + ":" + port() + "/"), "address refused") << host;
    }
  }
  EXPECT_EQ(server_.connections(), 0);
  EXPECT_TRUE(lookups_.empty()) << "a name was looked up: " << lookups_.begin()->first;
}

TEST_F(outbound, what_is_not_http_is_refused) {
  const auto http = guarded("0.0.0.0/0,::/0");
  for (const std::string url :
       {"file:///etc/passwd", "ftp://example.com/", "gopher://127.0.0.1:6379/_x", "dict://a:1/",
        "unix:/run/docker.sock", "http+unix://%2Frun%2Fdocker.sock/", "//127.0.0.1/", "/etc/passwd",
        "127.0.0.1:80", "http:127.0.0.1", "http:/127.0.0.1/", "http:///127.0.0.1/", "javascript:1",
        "http://a:0/", "http://a:65536/", "http://a:x/", "", "data:image/png;base64,AA=="}) {
    EXPECT_EQ(result(*http, url), "address refused") << url;
  }
  EXPECT_EQ(server_.connections(), 0);
}

TEST_F(outbound, a_name_is_judged_by_its_addresses_and_all_of_them) {
  const auto http = guarded("127.0.0.1/32");
  const auto local = make_address("127.0.0.1");
  names_["good"] = {{local}};
  names_["private"] = {{make_address("10.0.0.1")}};
  names_["mixed"] = {{local, make_address("169.254.1.1")}};
  names_["mixed6"] = {{make_address("::1"), local}};
  names_["mapped"] = {{make_address("::ffff:127.0.0.1")}};
  names_["xn--lcalhost-bzf"] = {{make_address("127.0.0.2")}};
  EXPECT_EQ(result(*http, "http://good:" + port() + "/"), "200 reached");
  for (const std::string name : {"private", "mixed", "mixed6", "mapped", "xn--lcalhost-bzf"}) {
    EXPECT_EQ(result(*http, "http://" + name + ":" + port() + "/"), "address refused") << name;
  }
  EXPECT_EQ(server_.connections(), 1);
}

TEST_F(outbound, other_ports_of_the_internet_are_refused) {
  const auto http = guarded();
  names_["public"] = {{make_address("8.8.8.8")}};
  const std::vector<std::string> places{"public:22", "public:" + port(), "8.8.8.8:25"};
  for (const auto& place : places) {
    EXPECT_EQ(result(*http, "http://" + place + "/"), "address refused") << place;
  }
}

// Vetted once, connected to what was vetted: there is no second look-up that could differ.
TEST_F(outbound, dns_that_answers_twice_differently_is_asked_once_for_a_connection) {
  const auto http = guarded("127.0.0.1/32");
  names_["rebinding"] = {{make_address("127.0.0.1")}, {make_address("127.0.0.2")}};
  server_.on("GET /", [](http_exchange& x) {
    x.answer(200, "reached", {{"Connection", "close"}});
  });
  const std::string url = "http://rebinding:" + port() + "/";
  EXPECT_EQ(result(*http, url), "200 reached");
  EXPECT_EQ(lookups_["rebinding"], 1);
  EXPECT_EQ(result(*http, url), "address refused");
  EXPECT_EQ(lookups_["rebinding"], 2);
  EXPECT_EQ(server_.calls().at(0).header("Host"), "rebinding:" + port());
}

TEST_F(outbound, redirects_are_judged_at_every_hop) {
  const auto http = guarded("127.0.0.1/32");
  names_["good"] = {{make_address("127.0.0.1")}};
  names_["bad"] = {{make_address("127.0.0.3")}};
  names_["mixed"] = {{make_address("127.0.0.1"), make_address("10.0.0.1")}};
  const std::string start = "http://good:" + port() + "/away";
  redirect_to("/");
  EXPECT_EQ(result(*http, start), "200 reached");
  const std::vector<std::string> locations{"http://127.0.0.2:" + port() + "/",
                                           "http://2130706434/",
                                           "http://0x7f000002/",
                                           "http://bad:" + port() + "/",
                                           "http://mixed:" + port() + "/",
                                           "//bad:" + port() + "/",
                                           "http://[::1]:" + port() + "/",
                                           "http://[::ffff:127.0.0.1]:" + port() + "/",
                                           "http://169.254.1.1/",
                                           "http://u:p@good/",
                                           "file:///etc/passwd",
                                           "gopher://good/",
                                           "http://8.8.8.8:22/"};
  for (const auto& location : locations) {
    redirect_to(location);
    EXPECT_EQ(result(*http, start), "address refused") << location;
  }
  redirect_to(start);
  EXPECT_EQ(result(*http, start), "no answer") << "a loop";
}

TEST_F(outbound, no_header_of_the_caller_follows_to_another_origin) {
  const auto http = guarded("127.0.0.1/32");
  http_stand_in other;
  other.on("GET /next", [](http_exchange& x) { x.answer(200, "there"); });
  redirect_to(other.url("/next"));
  request wanted(server_.url("/away"));
  wanted.follow_redirects = 1;
  for (const char* name : {"Authorization", "Cookie", "X-Api-Key", "Webhook-Signature", "Accept"}) {
    wanted.headers.add(name, "secret");
  }
  EXPECT_EQ(result(*http, wanted), "200 there");
  EXPECT_THAT(server_.calls().at(0).raw, HasSubstr("X-Api-Key: secret"));
  EXPECT_THAT(other.calls().at(0).raw, Not(HasSubstr("secret")));
}

TEST_F(outbound, the_outside_learns_nothing_and_the_log_all_but_the_path) {
  const auto http = guarded("127.0.0.1/32");
  names_["inside"] = {{make_address("10.11.12.13")}};
  EXPECT_EQ(result(*http, "http://inside/path?token=hush"), "address refused");
  EXPECT_THAT(log_text_.str(), HasSubstr("10.11.12.13"));
  EXPECT_EQ(result(*http, "http://unknown/path?token=hush"), "no answer");
  EXPECT_EQ(result(*http, "http://127.0.0.1:1/path?token=hush"), "no answer") << "nobody listens";
  server_.on("GET /", [](http_exchange& x) { x.write("SSH-2.0-OpenSSH\r\n"), x.close(); });
  EXPECT_EQ(result(*http, server_.url() + "?token=hush"), "no answer") << "not HTTP";
  EXPECT_THAT(log_text_.str(), Not(HasSubstr("hush")));
}

TEST_F(outbound, an_answer_that_is_too_large_is_a_failure_of_its_own) {
  const auto http = guarded("127.0.0.1/32");
  request wanted(server_.url());
  wanted.max_body = 3;
  EXPECT_EQ(result(*http, wanted), "the answer is too large");
}

/// A DNS that does not answer until it is told to.
class hanging_dns {
 public:
  addresses look_up() {
    std::unique_lock hold(mutex_);
    ++asked_;
    changed_.notify_all();
    changed_.wait(hold, [this] { return open_; });
    --asked_;
    changed_.notify_all();
    return {make_address("127.0.0.1")};
  }
  void wait_until_asked(int count) {
    std::unique_lock hold(mutex_);
    changed_.wait(hold, [&] { return asked_ >= count; });
  }
  void answer() {
    std::unique_lock hold(mutex_);
    open_ = true;
    changed_.notify_all();
    changed_.wait(hold, [this] { return asked_ == 0; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int asked_ = 0;
  bool open_ = false;
};

TEST_F(outbound, dns_that_hangs_holds_up_neither_the_engine_nor_other_clients) {
  // As long as a thread that hangs.
  const auto dns = std::make_shared<hanging_dns>();
  {
    address_policy policy;
    policy.allowed = parse_networks("127.0.0.0/8", "allowed");
    client_options options;
    options.lookup = [dns](const std::string&) { return dns->look_up(); };
    guarded_client guarded(io_.get_executor(), policy, log(), options);
    client trusted(io_.get_executor());
    play([&]() -> awaitable<void> {
      // More than there are threads.
      for (int i = 0; i < 40; ++i) {
        request wanted("http://slow" + std::to_string(i) + ":" + port() + "/");
        wanted.timeout = std::chrono::hours(1);
        asio::co_spawn(io_, guarded.send(wanted), [](std::exception_ptr, const response&) {});
      }
      request numeric(server_.url("/"));
      const auto reached = co_await guarded.send(std::move(numeric));
      EXPECT_EQ(reached.body, "reached") << "no look-up, no waiting";
      request by_name(server_.url("/", "localhost"));
      const auto other = co_await trusted.send(std::move(by_name));
      EXPECT_EQ(other.body, "reached");
    });
    dns->wait_until_asked(16);
    request impatient("http://slow/");
    impatient.timeout = std::chrono::milliseconds(50);
    EXPECT_EQ(result(guarded, impatient), "no answer");
  }
  // The clients are gone, and did not wait for their threads.
  dns->answer();
}

TEST_F(outbound, the_real_resolver_on_this_machine) {
  const std::string url = server_.url("/", "localhost");
  guarded_client strict(io_.get_executor(), {}, log());
  EXPECT_EQ(result(strict, url), "address refused");
  EXPECT_EQ(result(strict, "http://ip6-localhost.invalid/"), "no answer");
  EXPECT_EQ(server_.connections(), 0);
  const std::map<std::string, std::string> settings{{"OUTBOUND_ALLOW", "127.0.0.0/8,::1/128"}};
  const auto policy = outbound_policy(environment(settings));
  guarded_client open(io_.get_executor(), policy, log());
  EXPECT_EQ(result(open, url), "200 reached");
}

// Numbers that getaddrinfo takes for addresses reach it only from a trusted client.
TEST(system_lookup, takes_numbers_for_addresses_and_is_judged_by_them) {
  const address_policy policy;
  for (const char* host : {"2130706433", "0x7f.1", "0177.0.0.1", "localhost"}) {
    const auto found = system_lookup(host);
    EXPECT_TRUE(policy.refusal(parse_url("http://a/").server, found)) << host;
  }
}

}  // namespace
}  // namespace rowrunner::http
