#include "http_fixture.hpp"

namespace rowrunner::http {
namespace {

using ::testing::HasSubstr;

class http_redirect : public http_fixture {
 protected:
  static http_stand_in::route to(int status, const std::string& location) {
    return [status, location](http_exchange& x) { x.answer(status, "", {{"Location", location}}); };
  }

  request following(const std::string& url, const std::string& method = "GET") const {
    request wanted(url, method);
    wanted.follow_redirects = 5;
    wanted.headers.add("Authorization", "Bearer secret");
    if (method == "POST") {
      wanted.headers.add("Content-Type", "application/json");
      wanted.body = "{}";
    }
    return wanted;
  }

  http_stand_in server_;
  client http_{io_.get_executor()};
};

TEST_F(http_redirect, is_an_answer_unless_asked_for) {
  server_.on("GET /", to(302, "/next"));
  const auto answer = fetch(http_, request(server_.url()));
  EXPECT_EQ(answer.status, 302);
  EXPECT_EQ(answer.headers.get("location"), "/next");
  EXPECT_EQ(server_.calls().size(), 1U);
}

TEST_F(http_redirect, is_followed_to_its_end) {
  server_.on("GET /a/one", to(301, "two?x=1"));
  server_.on("GET /a/two", to(302, "//127.0.0.1:" + std::to_string(server_.port()) + "/three"));
  server_.on("GET /three", to(307, server_.url("/four")));
  server_.on("GET /four", [](http_exchange& x) { x.answer(200, "end"); });
  const auto answer = fetch(http_, following(server_.url("/a/one")));
  EXPECT_EQ(answer.body, "end");
  EXPECT_EQ(answer.final_url, server_.url("/four"));
  EXPECT_EQ(server_.calls().at(1).target, "/a/two?x=1");
  EXPECT_EQ(server_.calls().at(3).header("Authorization"), "Bearer secret");
}

TEST_F(http_redirect, turns_a_post_into_a_get_or_repeats_it) {
  server_.on("GET /next", [](http_exchange& x) { x.answer(200); });
  server_.on("POST /next", [](http_exchange& x) { x.answer(200); });
  for (const int status : {301, 302, 303, 307, 308}) {
    server_.on("POST /", to(status, "/next"));
    fetch(http_, following(server_.url(), "POST"));
    const auto last = server_.calls().back();
    EXPECT_EQ(last.method, status < 307 ? "GET" : "POST") << status;
    EXPECT_EQ(last.body, status < 307 ? "" : "{}") << status;
    EXPECT_EQ(last.header("Content-Type"), status < 307 ? "" : "application/json") << status;
  }
}

TEST_F(http_redirect, leaves_all_headers_behind_when_the_server_changes) {
  http_stand_in other;
  other.on("GET /next", to(302, server_.url("/back")));
  other.on("POST /next", [](http_exchange& x) { x.answer(200); });
  server_.on("GET /", to(302, other.url("/next")));
  server_.on("POST /", to(307, other.url("/next")));
  server_.on("GET /back", [](http_exchange& x) { x.answer(200); });
  auto wanted = following(server_.url());
  wanted.headers.add("Cookie", "session=secret");
  wanted.headers.add("X-Other", "1");
  fetch(http_, wanted);
  fetch(http_, following(server_.url(), "POST"));
  EXPECT_EQ(server_.calls().at(0).header("Authorization"), "Bearer secret");
  for (const auto& each : {other.calls().at(0), other.calls().at(1), server_.calls().at(1)}) {
    EXPECT_EQ(each.header("Authorization"), "");
    EXPECT_EQ(each.header("Cookie"), "");
    EXPECT_EQ(each.header("X-Other"), "");
    EXPECT_EQ(each.header("Content-Type"), "");
  }
}

TEST_F(http_redirect, ends_somewhere) {
  server_.on("GET /", to(302, "/"));
  const auto why = failure(http_, following(server_.url()));
  EXPECT_EQ(why.kind(), error_kind::redirect);
  EXPECT_THAT(why.what(), HasSubstr("more than 5 redirects"));
  EXPECT_EQ(server_.calls().size(), 6U);
}

TEST_F(http_redirect, refuses_what_is_not_http) {
  for (const char* location : {"file:///etc/passwd", "ftp://a/", "http://a b/", "http://u:p@h/"}) {
    server_.on("GET /", to(302, location));
    EXPECT_EQ(failure(http_, following(server_.url())).kind(), error_kind::bad_url) << location;
  }
}

TEST_F(http_redirect, without_a_location_is_an_answer) {
  server_.on("GET /", [](http_exchange& x) { x.answer(302); });
  EXPECT_EQ(fetch(http_, following(server_.url())).status, 302);
}

}  // namespace
}  // namespace rowrunner::http
