#include <nlohmann/json.hpp>

#include "common/errors.hpp"
#include "common/http/google_auth.hpp"
#include "common/version.hpp"
#include "http_fixture.hpp"

namespace rowrunner::http {
namespace {

using nlohmann::json;
using rowrunner::testing::make_rsa_key;
using ::testing::HasSubstr;
using ::testing::Not;

class http_google_auth : public http_fixture {
 protected:
  static constexpr const char* path =
      "GET /computeMetadata/v1/instance/service-accounts/default/token";

  metadata_server machine() const { return {server_.url("")}; }

  std::string ask(google_auth& auth) {
    std::string out;
    play([&]() -> awaitable<void> { out = co_await auth.authorization(); });
    return out;
  }

  auth_error refusal(google_auth& auth) {
    try {
      ask(auth);
    } catch (const auth_error& why) {
      return why;
    }
    ADD_FAILURE() << "no error";
    return {"no error", false};
  }

  http_stand_in server_;
  client http_{io_.get_executor()};
};

TEST_F(http_google_auth, asks_the_metadata_server_byte_for_byte) {
  server_.on(path, [](http_exchange& x) {
    x.answer(200, R"({"access_token":"abc","expires_in":3599,"token_type":"Bearer"})");
  });
  google_auth auth(http_, machine(), "unused");
  EXPECT_EQ(ask(auth), "Bearer abc");
  EXPECT_EQ(ask(auth), "Bearer abc");
  ASSERT_EQ(server_.calls().size(), 1U);
  EXPECT_EQ(server_.calls()[0].raw,
            std::string(path) + " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(server_.port()) +
                "\r\nUser-Agent: rowrunner/" + std::string(version) +
                "\r\nMetadata-Flavor: Google\r\n\r\n");
}

TEST_F(http_google_auth, says_why_there_is_no_token) {
  google_auth auth(http_, machine(), "unused");
  server_.on(path, [](http_exchange& x) {
    x.answer(400, R"({"error":"invalid_grant","error_description":"Account\nnot found"})");
  });
  const auto why = refusal(auth);
  EXPECT_EQ(std::string(why.what()),
            "Google gave no access token: HTTP 400 (invalid_grant: Account not found)");
  EXPECT_FALSE(why.temporary);
  server_.on(path, [](http_exchange& x) { x.answer(503, "", {{"Retry-After", "3"}}); });
  EXPECT_TRUE(refusal(auth).temporary);
  EXPECT_EQ(refusal(auth).retry_after, std::chrono::seconds(3));
  for (const char* body : {"", "[]", "{}", R"({"access_token":"abc"})", R"({"expires_in":1})",
                           R"({"access_token":5,"expires_in":"x"})"}) {
    server_.on(path, [body](http_exchange& x) { x.answer(200, body); });
    EXPECT_THAT(refusal(auth).what(), HasSubstr("no access token")) << body;
  }
}

TEST_F(http_google_auth, says_what_to_set_when_there_is_no_metadata_server) {
  google_auth auth(http_, metadata_server{"http://metadata.invalid"}, "unused");
  EXPECT_THAT(refusal(auth).what(), HasSubstr("GOOGLE_APPLICATION_CREDENTIALS"));
}

TEST_F(http_google_auth, those_who_wait_share_the_failure) {
  server_.on(path, [](http_exchange& x) { x.answer(400); });
  google_auth auth(http_, machine(), "unused");
  int left = 10;
  play([&]() -> awaitable<void> {
    asio::steady_timer over(io_, asio::steady_timer::time_point::max());
    for (int i = 0; i < 10; ++i) {
      asio::co_spawn(io_, auth.authorization(), [&](std::exception_ptr failed, const std::string&) {
        EXPECT_TRUE(failed);
        EXPECT_FALSE(is_aborted(failed));
        if (--left == 0) over.cancel();
      });
    }
    co_await over.async_wait(asio::as_tuple(use_awaitable));
  });
  EXPECT_EQ(server_.calls().size(), 1U);
}

// The one who asks is cancelled, and one of those who wait; the third gets its token.
TEST_F(http_google_auth, a_cancellation_leaves_the_others_unharmed) {
  asio::cancellation_signal first;
  asio::cancellation_signal second;
  std::atomic<int> asked = 0;
  server_.on(path, [&](http_exchange& x) {
    if (++asked > 1) return x.answer(200, R"({"access_token":"abc","expires_in":3599})");
    asio::post(io_, [&] { second.emit(asio::cancellation_type::terminal); });
    asio::post(io_, [&] { first.emit(asio::cancellation_type::terminal); });
    x.hang();
  });
  google_auth auth(http_, machine(), "unused");
  int cancelled = 0;
  std::string token;
  play([&]() -> awaitable<void> {
    for (auto* signal : {&first, &second}) {
      asio::co_spawn(io_, auth.authorization(),
                     asio::bind_cancellation_slot(
                         signal->slot(), [&](std::exception_ptr failed, const std::string&) {
                           cancelled += failed && is_aborted(failed) ? 1 : 0;
                         }));
    }
    co_await asio::post(io_, use_awaitable);
    token = co_await auth.authorization();
  });
  EXPECT_EQ(token, "Bearer abc");
  EXPECT_EQ(cancelled, 2);
}

TEST_F(http_google_auth, reads_the_key_of_a_service_account) {
  const auto key = make_rsa_key();
  const json good = {{"type", "service_account"},
                     {"client_email", "a@b"},
                     {"private_key_id", "1"},
                     {"private_key", key.private_pem}};
  const auto account = parse_service_account(good.dump(), "file.json");
  EXPECT_EQ(account.client_email, "a@b");
  EXPECT_EQ(account.token_uri, "https://oauth2.googleapis.com/token");

  std::vector<std::string> bad{"", "secret", "[]", "{}"};
  for (const auto& [field, value] :
       std::vector<std::pair<std::string, json>>{{"type", "authorized_user"},
                                                 {"client_email", nullptr},
                                                 {"client_email", 5},
                                                 {"private_key", "secret"},
                                                 {"private_key", key.public_pem},
                                                 {"token_uri", "secret"},
                                                 {"token_uri", 5},
                                                 {"private_key_id", json::array()}}) {
    json changed = good;
    changed[field] = value;
    bad.push_back(changed.dump());
  }
  for (const auto& text : bad) {
    try {
      parse_service_account(text, "file.json");
      ADD_FAILURE() << text;
    } catch (const usage_error& why) {
      EXPECT_THAT(why.what(), ::testing::StartsWith("file.json: "));
      EXPECT_THAT(why.what(), Not(HasSubstr("secret")));
      EXPECT_THAT(why.what(), Not(HasSubstr("PRIVATE KEY")));
    }
  }
}

TEST_F(http_google_auth, finds_credentials_in_the_environment) {
  using variables = std::map<std::string, std::string>;
  const environment none{variables{}};
  EXPECT_EQ(std::get<metadata_server>(google_credentials_from(none)).base_url,
            "http://metadata.google.internal");
  for (const std::string host :
       {"metadata.google.internal", "169.254.169.254:80", "127.0.0.1:988", "[::1]"}) {
    const environment other(variables{{"GCE_METADATA_HOST", host}});
    EXPECT_EQ(std::get<metadata_server>(google_credentials_from(other)).base_url, "http://" + host);
  }
  const environment missing(variables{{"GOOGLE_APPLICATION_CREDENTIALS", "/no/such/file"}});
  try {
    google_credentials_from(missing);
    ADD_FAILURE();
  } catch (const usage_error& why) {
    EXPECT_THAT(why.what(), HasSubstr("GOOGLE_APPLICATION_CREDENTIALS: /no/such/file"));
  }
}

}  // namespace
}  // namespace rowrunner::http
