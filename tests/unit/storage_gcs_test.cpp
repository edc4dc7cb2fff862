#include <nlohmann/json.hpp>
#include <rowrunner/bad_input.hpp>

#include "common/storage/gcs_store.hpp"
#include "common/version.hpp"
#include "http_fixture.hpp"

namespace rowrunner::storage {
namespace {

using namespace std::chrono_literals;
using asio::awaitable;
using http::http_exchange;
using http::http_stand_in;
using nlohmann::json;
using rowrunner::testing::make_rsa_key;
using rowrunner::testing::rsa_key;
using std::chrono::milliseconds;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string object_path = "/storage/v1/b/pictures/o/plan%2F%E4%BA%AC.png";
const std::string upload_path = "/upload/storage/v1/b/pictures/o";
const std::string hello_md5 = "XUFAKrxLKna5cZ2REBfFkg==";

class storage_gcs : public http::http_fixture {
 protected:
  storage_gcs() {
    server_.on("POST /token", [this](http_exchange& x) {
      const json body = {{"access_token", "token-" + std::to_string(++tokens_)},
                         {"expires_in", 3600},
                         {"token_type", "Bearer"}};
      x.answer(200, body.dump());
    });
  }

  http::service_account account() const {
    return {"robot@project.iam.gserviceaccount.com", "key-1", key_.private_pem,
            server_.url("/token")};
  }

  gcs_options options() {
    gcs_options out("pictures");
    out.base_url = server_.url("");
    out.pause = [this](milliseconds wait) -> awaitable<void> {
      pauses_.push_back(wait);
      co_return;
    };
    out.now = [this] { return now_; };
    return out;
  }

  void stores(const std::string& size = "5", const std::string& md5 = hello_md5) {
    server_.on("POST " + upload_path, [size, md5](http_exchange& x) {
      x.answer(200, json{{"name", "plan/京.png"}, {"size", size}, {"md5Hash", md5}}.dump());
    });
  }

  void put(gcs_store& files, const std::string& bytes = "hello") {
    play([&]() -> awaitable<void> { co_await files.put("plan/京.png", bytes, "image/png"); });
  }

  std::optional<std::string> get(gcs_store& files, std::size_t max_bytes = 1000) {
    std::optional<std::string> out;
    play([&]() -> awaitable<void> { out = co_await files.get("plan/京.png", max_bytes); });
    return out;
  }

  error failure(const std::function<void()>& doing) {
    try {
      doing();
    } catch (const error& why) {
      EXPECT_THAT(why.what(), Not(HasSubstr("token-")));
      return why;
    }
    ADD_FAILURE() << "no error";
    return {"no error", false};
  }

  std::string host() const { return "127.0.0.1:" + std::to_string(server_.port()); }

  /// Answers one after the other, and the last one for ever.
  static http_stand_in::route in_turn(std::vector<http_stand_in::route> answers) {
    const auto at = std::make_shared<std::atomic<std::size_t>>(0);
    return [answers, at](http_exchange& x) {
      answers[std::min(at->fetch_add(1), answers.size() - 1)](x);
    };
  }
  static http_stand_in::route say(int status, std::string body = {},
                                  http_exchange::fields headers = {}) {
    return [status, body, headers](http_exchange& x) { x.answer(status, body, headers); };
  }

  const rsa_key key_ = make_rsa_key();
  http::google_auth::clock::time_point now_ = http::google_auth::clock::from_time_t(1'700'000'000);
  std::atomic<int> tokens_ = 0;
  std::vector<milliseconds> pauses_;
  http_stand_in server_;
  http::client http_{io_.get_executor()};
};

TEST_F(storage_gcs, uploads_byte_for_byte) {
  stores();
  gcs_store files(http_, account(), options());
  put(files);
  const auto calls = server_.calls();
  ASSERT_EQ(calls.size(), 2U);
  EXPECT_EQ(calls[1].raw, "POST " + upload_path +
                              "?uploadType=media&name=plan%2F%E4%BA%AC.png HTTP/1.1\r\nHost: " +
                              host() + "\r\nUser-Agent: rowrunner/" + std::string(version) +
                              "\r\nContent-Type: image/png\r\nAuthorization: Bearer token-1"
                              "\r\nContent-Length: 5\r\n\r\nhello");
}

TEST_F(storage_gcs, asks_for_a_token_with_a_signed_assertion) {
  stores();
  gcs_store files(http_, account(), options());
  put(files);
  const auto call = server_.calls().at(0);
  const std::string start =
      "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=";
  EXPECT_EQ(call.head(), "POST /token HTTP/1.1\r\nHost: " + host() + "\r\nUser-Agent: rowrunner/" +
                             std::string(version) +
                             "\r\nContent-Type: application/x-www-form-urlencoded"
                             "\r\nContent-Length: " +
                             std::to_string(call.body.size()) + "\r\n\r\n");
  ASSERT_TRUE(call.body.starts_with(start));
  const std::string assertion = call.body.substr(start.size());
  const auto first = assertion.find('.');
  const auto second = assertion.find('.', first + 1);
  using rowrunner::testing::decode_base64_url;
  EXPECT_EQ(json::parse(decode_base64_url(assertion.substr(0, first))),
            (json{{"alg", "RS256"}, {"typ", "JWT"}, {"kid", "key-1"}}));
  EXPECT_EQ(json::parse(decode_base64_url(assertion.substr(first + 1, second - first - 1))),
            (json{{"iss", "robot@project.iam.gserviceaccount.com"},
                  {"scope", "https://www.googleapis.com/auth/devstorage.read_write"},
                  {"aud", server_.url("/token")},
                  {"iat", 1'700'000'000},
                  {"exp", 1'700'003'600}}));
  const auto signature = decode_base64_url(assertion.substr(second + 1));
  EXPECT_TRUE(
      rowrunner::testing::verify_rs256(key_.public_pem, assertion.substr(0, second), signature));
  EXPECT_FALSE(
      rowrunner::testing::verify_rs256(key_.public_pem, assertion.substr(1, second), signature));
}

TEST_F(storage_gcs, downloads_looks_and_removes_byte_for_byte) {
  server_.on("GET " + object_path, [](http_exchange& x) {
    x.answer(200, x.call().target.ends_with("?alt=media") ? "hello" : R"({"name":"plan/京.png"})");
  });
  server_.on("DELETE " + object_path,
             [](http_exchange& x) { x.write("HTTP/1.1 204 Gone\r\n\r\n"); });
  gcs_store files(http_, account(), options());
  EXPECT_EQ(get(files), "hello");
  play([&]() -> awaitable<void> {
    EXPECT_TRUE(co_await files.exists("plan/京.png"));
    co_await files.remove("plan/京.png");
  });
  const auto calls = server_.calls();
  ASSERT_EQ(calls.size(), 4U);
  const std::string rest = " HTTP/1.1\r\nHost: " + host() + "\r\nUser-Agent: rowrunner/" +
                           std::string(version) + "\r\nAuthorization: Bearer token-1\r\n\r\n";
  EXPECT_EQ(calls[1].raw, "GET " + object_path + "?alt=media" + rest);
  EXPECT_EQ(calls[2].raw, "GET " + object_path + "?fields=name" + rest);
  EXPECT_EQ(calls[3].raw, "DELETE " + object_path + rest);
  EXPECT_EQ(server_.connections(), 1);
}

TEST_F(storage_gcs, what_is_not_there_is_no_error) {
  gcs_store files(http_, account(), options());
  EXPECT_EQ(get(files), std::nullopt);
  play([&]() -> awaitable<void> {
    EXPECT_FALSE(co_await files.exists("plan/京.png"));
    co_await files.remove("plan/京.png");
  });
  EXPECT_TRUE(pauses_.empty());
}

TEST_F(storage_gcs, a_bucket_that_does_not_exist_is_one) {
  server_.on(
      "POST " + upload_path,
      say(404, R"({"error":{"code":404,"message":"The specified bucket does not exist."}})"));
  gcs_store files(http_, account(), options());
  const auto why = failure([&] { put(files); });
  EXPECT_EQ(std::string(why.what()),
            "bucket pictures: HTTP 404 (The specified bucket does not exist.)");
  EXPECT_FALSE(why.temporary);
}

TEST_F(storage_gcs, keeps_its_token_until_a_minute_before_its_end) {
  stores();
  gcs_store files(http_, account(), options());
  put(files);
  now_ += 3539s;
  put(files);
  EXPECT_EQ(tokens_, 1);
  now_ += 1s;
  put(files);
  EXPECT_EQ(tokens_, 2);
  EXPECT_EQ(server_.calls().back().header("Authorization"), "Bearer token-2");
}

TEST_F(storage_gcs, many_share_one_token) {
  stores();
  gcs_store files(http_, account(), options());
  int left = 20;
  play([&]() -> awaitable<void> {
    asio::steady_timer over(io_, asio::steady_timer::time_point::max());
    for (int i = 0; i < 20; ++i) {
      asio::co_spawn(io_, files.put("a", "hello", "text/plain"), [&](std::exception_ptr failed) {
        EXPECT_FALSE(failed);
        if (--left == 0) over.cancel();
      });
    }
    co_await over.async_wait(asio::as_tuple(asio::use_awaitable));
  });
  EXPECT_EQ(tokens_, 1);
  EXPECT_EQ(server_.calls("POST " + upload_path).size(), 20U);
}

TEST_F(storage_gcs, a_refused_token_is_renewed_once) {
  server_.on("GET " + object_path, [](http_exchange& x) {
    x.answer(x.call().header("Authorization") == "Bearer token-1" ? 401 : 200, "hello");
  });
  gcs_store files(http_, account(), options());
  EXPECT_EQ(get(files), "hello");
  EXPECT_EQ(tokens_, 2);
  server_.on("GET " + object_path, say(401, R"({"error":{"message":"Invalid Credentials"}})"));
  const auto why = failure([&] { get(files); });
  EXPECT_THAT(why.what(), HasSubstr("HTTP 401 (Invalid Credentials)"));
  EXPECT_FALSE(why.temporary);
  EXPECT_EQ(tokens_, 3);
  EXPECT_TRUE(pauses_.empty());
}

TEST_F(storage_gcs, waits_as_long_as_it_is_asked_to) {
  server_.on("GET " + object_path,
             in_turn({say(429, "", {{"Retry-After", "7"}}), say(200, "hello")}));
  gcs_store files(http_, account(), options());
  EXPECT_EQ(get(files), "hello");
  ASSERT_EQ(pauses_.size(), 1U);
  EXPECT_GE(pauses_[0], 7s);
  EXPECT_LE(pauses_[0], 8s);
}

TEST_F(storage_gcs, does_not_wait_for_an_hour) {
  server_.on("GET " + object_path, say(503, "", {{"Retry-After", "3600"}}));
  gcs_store files(http_, account(), options());
  const auto why = failure([&] { get(files); });
  EXPECT_TRUE(why.temporary);
  EXPECT_EQ(why.retry_after, 1h);
  EXPECT_EQ(server_.calls("GET " + object_path).size(), 1U);
}

TEST_F(storage_gcs, tries_three_times_with_growing_pauses) {
  for (const int status : {500, 502, 503, 408, 429}) {
    pauses_.clear();
    http_stand_in server;
    auto chosen = options();
    chosen.base_url = server.url("");
    server.on("GET " + object_path,
              say(status, "<html>oops</html>", {{"Content-Type", "text/html"}}));
    gcs_store files(http_, account(), chosen);
    const auto why = failure([&] { get(files); });
    EXPECT_EQ(std::string(why.what()), "bucket pictures: HTTP " + std::to_string(status));
    EXPECT_TRUE(why.temporary);
    EXPECT_EQ(server.calls().size(), 3U);
    ASSERT_EQ(pauses_.size(), 2U);
    EXPECT_GE(pauses_[0], 250ms);
    EXPECT_LE(pauses_[0], 1000ms);
    EXPECT_GE(pauses_[1], 500ms);
    EXPECT_LE(pauses_[1], 2000ms);
  }
}

TEST_F(storage_gcs, tries_again_after_a_lost_connection) {
  stores();
  const auto whole = say(200, json{{"size", "5"}, {"md5Hash", hello_md5}}.dump());
  server_.on("POST " + upload_path, in_turn({[](http_exchange& x) { x.close(); }, whole}));
  gcs_store files(http_, account(), options());
  put(files);
  EXPECT_EQ(server_.calls("POST " + upload_path).size(), 2U);
  EXPECT_EQ(server_.calls().back().body, "hello");
}

TEST_F(storage_gcs, other_refusals_are_final) {
  server_.on("POST " + upload_path,
             say(403, R"({"error":{"code":403,"message":"robot does not have access\nto it"}})"));
  gcs_store files(http_, account(), options());
  const auto why = failure([&] { put(files); });
  EXPECT_EQ(std::string(why.what()),
            "bucket pictures: HTTP 403 (robot does not have access to it)");
  EXPECT_FALSE(why.temporary);
  EXPECT_TRUE(pauses_.empty());
}

TEST_F(storage_gcs, an_upload_that_arrived_differently_is_none) {
  gcs_store files(http_, account(), options());
  for (const auto& [size, md5] :
       {std::pair("4", hello_md5.c_str()), std::pair("5", "AAAA"), std::pair("5", "")}) {
    stores(size, md5);
    EXPECT_THAT(failure([&] { put(files); }).what(), HasSubstr("not what was sent"));
  }
  for (const char* body : {"", "{}", "garbage", "[]", "null"}) {
    server_.on("POST " + upload_path, say(200, body));
    EXPECT_THAT(failure([&] { put(files); }).what(), HasSubstr("not what was sent")) << body;
  }
  const auto whole = say(200, json{{"size", "5"}, {"md5Hash", hello_md5}}.dump());
  server_.on("POST " + upload_path, in_turn({say(200, "{}"), whole}));
  put(files);
}

TEST_F(storage_gcs, does_not_read_more_than_allowed) {
  server_.on("GET " + object_path, say(200, "hello"));
  gcs_store files(http_, account(), options());
  EXPECT_EQ(get(files, 5), "hello");
  const auto why = failure([&] { get(files, 4); });
  EXPECT_THAT(why.what(), HasSubstr("larger than 4 bytes"));
  EXPECT_FALSE(why.temporary);
}

TEST_F(storage_gcs, refuses_keys_before_any_request) {
  gcs_store files(http_, account(), options());
  play([&]() -> awaitable<void> {
    try {
      co_await files.put("../a", "hello", "text/plain");
      ADD_FAILURE();
    } catch (const bad_input&) {
    }
  });
  EXPECT_TRUE(server_.calls().empty());
}

TEST_F(storage_gcs, has_addresses_that_lead_back_to_keys) {
  gcs_options plain("my pictures");
  const gcs_store files(http_, http::no_credentials{}, plain);
  EXPECT_EQ(files.url("plan/京.png"),
            "https://storage.googleapis.com/my%20pictures/plan/%E4%BA%AC.png");
  EXPECT_EQ(files.key_of(files.url("plan/京.png")), "plan/京.png");
  EXPECT_EQ(files.key_of("https://storage.googleapis.com/other/a"), std::nullopt);
  EXPECT_EQ(files.key_of("https://storage.googleapis.com/my%20pictures/../a"), std::nullopt);
}

TEST_F(storage_gcs, needs_no_token_without_credentials) {
  stores();
  gcs_store files(http_, http::no_credentials{}, options());
  put(files);
  EXPECT_EQ(server_.calls().at(0).header("Authorization"), "");
}

}  // namespace
}  // namespace rowrunner::storage
