// What is decided without I/O.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/connection_slots.hpp"
#include "api/credential.hpp"
#include "api/database_watch.hpp"
#include "api/head.hpp"
#include "api/response.hpp"
#include "api/routes.hpp"
#include "api/secret.hpp"
#include "api/target.hpp"

namespace rowrunner::api {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::Pair;

const std::string secret(43, 's');

int refused(std::string_view head, const server_limits& allowed = {}) {
  head_scanner scanner(allowed);
  scanner.look_at(head);
  return scanner.refusal() ? scanner.refusal()->status : 0;
}

TEST(api_head, ends_at_the_empty_line_however_it_is_cut) {
  const std::string bytes = "GET / HTTP/1.1\r\nHost: a\r\n\r\nbody";
  const server_limits allowed;
  for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
    head_scanner scanner(allowed);
    scanner.look_at(std::string_view(bytes).substr(0, cut));
    EXPECT_EQ(scanner.size().has_value(), cut >= bytes.size() - 4) << cut;
    scanner.look_at(bytes);
    EXPECT_EQ(scanner.size(), bytes.size() - 4) << cut;
    EXPECT_FALSE(scanner.refusal());
  }
}

TEST(api_head, refuses_what_servers_read_differently) {
  EXPECT_EQ(refused("GET / HTTP/1.1\nHost: a\n\n"), 400);
  EXPECT_EQ(refused("GET / HTTP/1.1\r\nA: b\r\n c\r\n"), 400);
  EXPECT_EQ(refused("GET / HTTP/1.1\r\nA: b\r\n\tc\r\n"), 400);
  EXPECT_EQ(refused("GET / HTTP/1.1\r\nA: b\rc\r\n"), 400);
  EXPECT_EQ(refused(std::string_view("GET / HTTP/1.1\r\nA: \0\r\n", 22)), 400);
  EXPECT_EQ(refused("\r\nGET / HTTP/1.1\r\n"), 400);
  EXPECT_EQ(refused("GET /\xC3\xA4 HTTP/1.1\r\n"), 400);
  EXPECT_EQ(refused("\x16\x03\x01"), 400);
  EXPECT_EQ(refused("GET / HTTP/1.1\r\nA: \xC3\xA4\tb\r\n"), 0);
}

TEST(api_head, has_limits) {
  server_limits allowed;
  allowed.head_bytes = 200;
  allowed.request_line_bytes = 50;
  allowed.header_fields = 3;
  EXPECT_EQ(refused("GET /" + std::string(50, 'a'), allowed), 414);
  EXPECT_EQ(refused("GET / HTTP/1.1\r\nA: " + std::string(200, 'a'), allowed), 431);
  EXPECT_EQ(refused("GET / HTTP/1.1\r\na:b\r\na:b\r\na:b\r\n", allowed), 0);
  EXPECT_EQ(refused("GET / HTTP/1.1\r\na:b\r\na:b\r\na:b\r\na:b\r\n", allowed), 431);
}

request_head head_with(std::initializer_list<std::pair<const char*, const char*>> fields) {
  request_head out;
  out.version(11);
  for (const auto& [name, value] : fields) out.insert(name, value);
  return out;
}

TEST(api_head, fields_that_contradict_each_other_are_refused) {
  const auto status = [](const request_head& head) {
    const auto why = check_head(head);
    return why ? why->status : 0;
  };
  EXPECT_EQ(status(head_with({{"Host", "a"}})), 0);
  EXPECT_EQ(status(head_with({})), 400);
  EXPECT_EQ(status(head_with({{"Host", "a"}, {"Host", "a"}})), 400);
  EXPECT_EQ(status(head_with({{"Host", "a b"}})), 400);
  EXPECT_EQ(status(head_with({{"Host", "a"}, {"Content-Length", "1"}, {"Content-Length", "1"}})),
            400);
  EXPECT_EQ(status(head_with({{"Host", "a"}, {"Content-Length", "1, 1"}})), 400);
  EXPECT_EQ(
      status(head_with({{"Host", "a"}, {"Content-Length", "1"}, {"Transfer-Encoding", "chunked"}})),
      400);
  EXPECT_EQ(status(head_with({{"Host", "a"}, {"Transfer-Encoding", "gzip, chunked"}})), 400);
  EXPECT_EQ(status(head_with({{"Host", "a"}, {"Transfer-Encoding", "Chunked"}})), 0);
  EXPECT_EQ(status(head_with({{"Host", "a"}, {"Expect", "miracles"}})), 417);
  EXPECT_EQ(status(head_with({{"Host", "a"}, {"Authorization", "a"}, {"Authorization", "a"}})),
            400);
  auto old = head_with({{"Transfer-Encoding", "chunked"}});
  old.version(10);
  EXPECT_EQ(status(old), 400);
}

TEST(api_target, is_taken_apart_and_decoded) {
  const auto got = parse_target("/api/a%2Fb/%E9%87%91?x=1+2&y=%26&x=3&z").value();
  EXPECT_EQ(got.path, "/api/a%2Fb/%E9%87%91");
  EXPECT_THAT(got.segments, ElementsAre("api", "a/b", "金"));
  EXPECT_THAT(got.query, ElementsAre(Pair("x", "1 2"), Pair("y", "&"), Pair("z", "")));
  EXPECT_EQ(parse_target("http://host:80/a").value().path, "/a");
  EXPECT_EQ(parse_target("http://host").value().path, "/");
  // A slash in a query begins no path: a proxy before this server reads it so.
  const auto in_query = parse_target("http://host?next=/api/session").value();
  EXPECT_EQ(in_query.path, "/");
  EXPECT_EQ(in_query.query.at("next"), "/api/session");
  EXPECT_FALSE(parse_target("http:///api/session"));
  for (const char* bad : {"", "a", "*", "host:443", "/%", "/%4", "/%zz", "/%00", "/%0a", "/%ff",
                          "/%c0%ae", "/?a=%ff", "/#a", "https://a/"}) {
    EXPECT_FALSE(parse_target(bad)) << bad;
  }
}

TEST(api_target, matches_patterns_segment_by_segment) {
  const auto match = [](const char* pattern, const char* path) {
    return match_path(pattern, parse_target(path).value().segments);
  };
  EXPECT_THAT(match("/jobs/{kind}/{id}", "/jobs/a%2F/7").value(),
              ElementsAre(Pair("id", "7"), Pair("kind", "a/")));
  EXPECT_TRUE(match("/livez", "/livez"));
  for (const char* other : {"/jobs", "/jobs/a", "/jobs/a/", "/jobs//b", "/jobs/a/b/", "/x/a/b",
                            "//jobs/a/b", "/jobs/a/b/c"}) {
    EXPECT_FALSE(match("/jobs/{kind}/{id}", other)) << other;
  }
}

TEST(api_routes, name_their_methods_in_allow) {
  const auto routes = all_routes();
  const auto match = [&](http::verb method, const char* path) {
    return find_route(routes, method, parse_target(path).value());
  };
  EXPECT_EQ(match(http::verb::head, "/livez").found->path, "/livez");
  EXPECT_EQ(match(http::verb::put, "/api/session").allow, "POST, GET, HEAD, DELETE");
  EXPECT_EQ(match(http::verb::get, "/api").allow, "");
  for (const auto& each : routes) EXPECT_FALSE(each.summary.empty()) << each.path;
}

TEST(api_access, of_each_role) {
  const auto of = [](access needed) {
    std::string out;
    for (const auto has : all_roles) out += allows(needed, has) ? name_of(has).substr(0, 1) : "-";
    return out;
  };
  EXPECT_EQ(of(access::anyone), "uvoa");
  EXPECT_EQ(of(access::signed_in), "uvoa");
  EXPECT_EQ(of(access::change_own), "u-oa");
  EXPECT_EQ(of(access::read_all), "-voa");
  EXPECT_EQ(of(access::change_all), "--oa");
  EXPECT_EQ(of(access::administer), "---a");
  for (const auto each : all_roles) EXPECT_EQ(role_named(name_of(each)), each);
  EXPECT_FALSE(role_named("root"));
}

TEST(api_secret, keys_are_read_as_they_are_written) {
  const auto made = new_secret();
  EXPECT_NE(made, new_secret());
  const auto key = parse_key("rr", key_text("rr", 42, made)).value();
  EXPECT_EQ(key.id, 42);
  EXPECT_EQ(key.secret, made);
  for (const std::string& bad : std::vector<std::string>{
           "rr_", "rr_1", "rr_1_", "rr__" + secret, "rr_0_" + secret, "rr_-1_" + secret,
           "rr_x_" + secret, "rs_1_" + secret, "rr_1_" + secret + "s", "rr_1_" + secret.substr(1),
           "rr_99999999999999999999_" + secret, "rr_1_" + secret.substr(1) + "="}) {
    EXPECT_FALSE(parse_key("rr", bad)) << bad;
  }
  EXPECT_EQ(proof_of("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hash_of("abc"), "4f8b42c22dd3729b519ba6f68d2da7cc5b2d606d05daed5ad5128cc03e6c6358");
  EXPECT_TRUE(same_hash(hash_of("a"), hash_of("a")));
  EXPECT_FALSE(same_hash(hash_of("a"), hash_of("b")));
  EXPECT_FALSE(same_hash("", ""));
}

credential::kind offered(std::initializer_list<std::pair<const char*, std::string>> fields,
                         bool takes_ticket = false, std::string ticket = {}) {
  request asked;
  for (const auto& [name, value] : fields) asked.head.insert(name, value);
  if (!ticket.empty()) asked.query["ticket"] = ticket;
  return credential_of(asked, takes_ticket).type;
}

TEST(api_credential, bearer_then_ticket_then_cookie) {
  using kind = credential::kind;
  const std::string bearer = "Bearer rr_1_" + secret,
                    cookie = "a=b; rowrunner_session=rs_2_" + secret, ticket = "rt_3_" + secret;
  EXPECT_EQ(offered({}), kind::none);
  EXPECT_EQ(offered({{"Authorization", bearer}, {"Cookie", cookie}}, true, ticket), kind::bearer);
  EXPECT_EQ(offered({{"Cookie", cookie}}, true, ticket), kind::ticket);
  EXPECT_EQ(offered({{"Cookie", cookie}}, false, ticket), kind::cookie);
  EXPECT_EQ(offered({{"Cookie", "a=b"}, {"Cookie", cookie}}), kind::cookie);
  EXPECT_EQ(offered({{"Cookie", "xrowrunner_session=rs_2_" + secret}}), kind::none);
  EXPECT_EQ(offered({{"Cookie", "rowrunner_session=rr_1_" + secret}}), kind::malformed);
  EXPECT_EQ(offered({{"Authorization", "Basic abc"}}), kind::malformed);
  EXPECT_EQ(offered({{"Authorization", "Bearer"}, {"Cookie", cookie}}), kind::malformed);
  EXPECT_EQ(offered({{"Authorization", "bearer  rr_1_" + secret}}), kind::bearer);
}

TEST(api_credential, pages_of_other_sites_are_told_apart) {
  EXPECT_EQ(origin_of(head_with({{"Host", "a:1"}})), origin::unknown);
  EXPECT_EQ(origin_of(head_with({{"Host", "a:1"}, {"Origin", "http://a:1"}})), origin::same);
  EXPECT_EQ(origin_of(head_with({{"Host", "a:1"}, {"Origin", "http://a:2"}})), origin::other);
  EXPECT_EQ(origin_of(head_with({{"Host", "a:1"}, {"Origin", "null"}})), origin::other);
  EXPECT_EQ(origin_of(head_with({{"Origin", "http://"}})), origin::other);
  for (const char* site : {"cross-site", "same-site", "none"}) {
    EXPECT_EQ(
        origin_of(head_with({{"Host", "a"}, {"Origin", "http://a"}, {"Sec-Fetch-Site", site}})),
        origin::other)
        << site;
  }
  EXPECT_EQ(origin_of(head_with({{"Host", "a"}, {"Sec-Fetch-Site", "same-origin"}})), origin::same);
}

TEST(api_credential, this_machine_is_asked_by_its_own_name) {
  for (const char* host : {"localhost", "LOCALHOST:8080", "127.0.0.1:80", "[::1]:8080", "[::1]"}) {
    EXPECT_TRUE(asks_this_machine(head_with({{"Host", host}}))) << host;
  }
  for (const char* host :
       {"", "evil.example", "localhost.evil.example", "127.0.0.1.evil", "[::2]"}) {
    EXPECT_FALSE(asks_this_machine(head_with({{"Host", host}}))) << host;
  }
  EXPECT_FALSE(
      asks_this_machine(head_with({{"Host", "localhost"}, {"X-Forwarded-For", "1.2.3.4"}})));
}

TEST(api_slots, the_oldest_spare_connection_makes_room) {
  connection_slots slots(2, 2);
  EXPECT_FALSE(slots.admit(1).spare);
  EXPECT_FALSE(slots.admit(2).spare);
  EXPECT_TRUE(slots.admit(3).spare);
  EXPECT_EQ(slots.admit(4).cut, std::nullopt);
  EXPECT_EQ(slots.admit(5).cut, 3u);
  slots.leave(3);
  slots.leave(1);
  EXPECT_FALSE(slots.admit(6).spare);
  slots.leave(4);
  EXPECT_EQ(slots.admit(7).cut, std::nullopt);
  EXPECT_EQ(slots.admit(8).cut, 5u);
}

TEST(api_watch, an_answer_counts_for_ten_seconds) {
  database_watch watch;
  const auto now = database_watch::clock::now();
  EXPECT_TRUE(watch.problem(now));
  watch.answered(now, std::nullopt);
  EXPECT_FALSE(watch.problem(now + 10s));
  EXPECT_EQ(watch.problem(now + 11s), "the database has not answered for 11 seconds");
  watch.answered(now, "too old");
  EXPECT_EQ(watch.problem(now), "too old");
}

TEST(api_response, dates_are_those_of_http) {
  EXPECT_EQ(http_date(std::chrono::system_clock::from_time_t(784111777)),
            "Sun, 06 Nov 1994 08:49:37 GMT");
}

std::string body_problem(const std::string& body, const char* type = "application/json") {
  request asked;
  asked.head.set(http::field::content_type, type);
  asked.body = body;
  nlohmann::json object;
  std::string text;
  auto why = read_object(asked, {"token"}, object);
  if (!why) why = read_text(object, "token", text);
  return why ? why->code : text;
}

TEST(api_message, bodies_are_objects_of_known_members) {
  EXPECT_EQ(body_problem(R"({"token":"a"})", "Application/JSON ; charset=utf-8"), "a");
  EXPECT_EQ(body_problem(R"({"token":"a"})", "text/plain"), "unsupported_media_type");
  EXPECT_EQ(body_problem(R"({"token":"a","x":1})"), "unknown_member");
  EXPECT_EQ(body_problem(R"({"token":"\u0000"})"), "bad_member");
  EXPECT_EQ(body_problem(R"({"token":7})"), "bad_member");
  EXPECT_EQ(body_problem("[]"), "bad_json");
  EXPECT_EQ(body_problem(std::string(100, '[')), "bad_json");
}

}  // namespace
}  // namespace rowrunner::api
