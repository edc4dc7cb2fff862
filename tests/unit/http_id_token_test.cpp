// Google's ID tokens: what is accepted, and all that is not.
#include <rowrunner/bad_input.hpp>

#include "common/foreign_json.hpp"
#include "common/http/base64.hpp"
#include "common/http/google_id_tokens.hpp"
#include "common/http/id_token.hpp"
#include "http_fixture.hpp"
#include "support/token_issuer.hpp"

namespace rowrunner::http {
namespace {

using nlohmann::json;
using rowrunner::testing::token_issuer;
using std::chrono::system_clock;
using namespace std::chrono_literals;
using ::testing::HasSubstr;

constexpr const char* audience = "https://jobs.example/api/pdf-batch/push";
constexpr const char* account = "pusher@project.iam.gserviceaccount.com";

id_token_rules rules() {
  id_token_rules out;
  out.audience = audience;
  out.email = account;
  return out;
}

json claims() { return token_issuer::claims(audience, account); }

/// One key for all tests, since it takes a while to make one.
const token_issuer& google() {
  static const token_issuer made;
  return made;
}

std::string judged(const std::string& token, system_clock::time_point now = system_clock::now()) {
  try {
    return refusal_of(parse_id_token(token), json_web_keys(google().keys()), rules(), now);
  } catch (const bad_input& wrong) {
    return wrong.what();
  }
}

json with(const char* name, json value) {
  auto out = claims();
  out[name] = std::move(value);
  return out;
}

TEST(http_id_token, one_of_google_for_this_audience_and_account_is_accepted) {
  EXPECT_EQ(judged(google().sign(claims())), "");
  EXPECT_EQ(judged(google().sign(with("iss", "accounts.google.com"))), "");
}

TEST(http_id_token, a_wrong_claim_is_refused) {
  EXPECT_THAT(judged(google().sign(with("aud", "https://other.example"))), HasSubstr("audience"));
  EXPECT_THAT(judged(google().sign(with("aud", json::array({audience})))), HasSubstr("audience"));
  EXPECT_THAT(judged(google().sign(with("iss", "https://evil.example"))), HasSubstr("issued"));
  EXPECT_THAT(judged(google().sign(with("email", "other@example.com"))), HasSubstr("account"));
  EXPECT_THAT(judged(google().sign(with("email_verified", false))), HasSubstr("account"));
  EXPECT_THAT(judged(google().sign(with("email_verified", "true"))), HasSubstr("account"));
  EXPECT_THAT(judged(google().sign(with("exp", "soon"))), HasSubstr("no exp"));
  EXPECT_THAT(judged(google().sign(with("exp", 9'000'000'000'000))), HasSubstr("too long"));
}

TEST(http_id_token, the_time_counts_with_a_minute_of_grace) {
  const auto token = google().sign(claims());
  const auto now = system_clock::now();
  EXPECT_EQ(judged(token, now + 1h), "");
  EXPECT_THAT(judged(token, now + 1h + 2min), HasSubstr("expired"));
  EXPECT_THAT(judged(token, now - 2min), HasSubstr("not valid yet"));
}

TEST(http_id_token, a_signature_of_another_key_is_refused) {
  const token_issuer stranger, of_other_name("key-2");
  EXPECT_THAT(judged(stranger.sign(claims())), HasSubstr("signature"));
  EXPECT_THAT(judged(of_other_name.sign(claims())), HasSubstr("key is unknown"));
  auto token = google().sign(claims());
  const auto end = token.rfind('.');
  auto changed = token;
  changed[end - 2] = changed[end - 2] == 'A' ? 'B' : 'A';
  EXPECT_NE(judged(changed), "");
  EXPECT_THAT(judged(token.substr(0, end + 1)), HasSubstr("signature"));
}

// A token must not choose how it is checked.
TEST(http_id_token, other_algorithms_are_refused) {
  for (const char* name : {"none", "HS256", "RS512", "rs256", ""}) {
    const json header{{"alg", name}, {"kid", "key-1"}};
    EXPECT_THAT(judged(google().sign(header, claims())), HasSubstr("RS256")) << name;
  }
  const auto unsigned_token =
      base64_url(R"({"alg":"none"})") + "." + base64_url(claims().dump()) + ".";
  EXPECT_THAT(judged(unsigned_token), HasSubstr("RS256"));
}

TEST(http_id_token, what_is_no_token_is_refused) {
  for (const std::string text :
       {"", ".", "..", "a.b.c", "a.b.c.d", "e30.e30.e30", "e30.W10.e30", "!.!.!"}) {
    EXPECT_NE(judged(text), "") << text;
  }
  EXPECT_NE(judged(std::string(100'000, 'a')), "");
}

TEST(http_id_token, keys_that_are_none_are_left_out) {
  json list{{"keys", json::array({google().key(),
                                  1,
                                  {{"kty", "EC"}, {"kid", "x"}},
                                  {{"kty", "RSA"}, {"kid", "short"}, {"n", "AQAB"}, {"e", "AQAB"}},
                                  {{"kty", "RSA"}, {"kid", "bad"}, {"n", "!"}, {"e", "AQAB"}}})}};
  const json_web_keys keys(list.dump());
  EXPECT_TRUE(keys.has("key-1"));
  for (const char* id : {"x", "short", "bad"}) EXPECT_FALSE(keys.has(id)) << id;
  EXPECT_THROW(json_web_keys("[]"), foreign_json_error);
  EXPECT_THROW(json_web_keys("{"), foreign_json_error);
}

TEST(http_base64, both_forms_are_decoded) {
  EXPECT_EQ(base64_decoded(""), "");
  EXPECT_EQ(base64_decoded("YQ=="), "a");
  EXPECT_EQ(base64_decoded("YQ"), "a");
  EXPECT_EQ(base64_decoded("-_8"), "\xfb\xff");
  EXPECT_EQ(base64_decoded("+/8="), "\xfb\xff");
  for (int size = 0; size < 70; ++size) {
    std::string bytes;
    for (int i = 0; i < size; ++i) bytes += static_cast<char>(i * 37 + size);
    EXPECT_EQ(base64_decoded(base64(bytes)), bytes);
    EXPECT_EQ(base64_decoded(base64_url(bytes)), bytes);
  }
  for (const char* wrong : {"a", "abcde", "ab=", "ab===", "a b c", "ab\n=", "=", "YQ=x"}) {
    EXPECT_EQ(base64_decoded(wrong), std::nullopt) << wrong;
  }
}

class google_keys : public http_fixture {
 protected:
  google_keys() {
    server_.on("GET /certs", [this](http_exchange& x) {
      x.answer(status_, body_, {{"Cache-Control", "public, max-age=600, must-revalidate"}});
    });
  }
  std::string ask(const std::string& token) {
    std::string out;
    play([&]() -> awaitable<void> { out = co_await tokens_.refusal(token); });
    return out;
  }
  std::size_t fetches() const { return server_.calls().size(); }

  int status_ = 200;
  std::string body_ = google().keys();
  system_clock::time_point now_ = system_clock::now();
  http_stand_in server_;
  client http_{io_.get_executor()};
  google_id_tokens tokens_{http_, server_.url("/certs"), rules(), [this] { return now_; }};
};

TEST_F(google_keys, are_kept_for_as_long_as_their_server_says) {
  const auto token = google().sign(claims());
  EXPECT_EQ(ask(token), "");
  EXPECT_EQ(ask(token), "");
  now_ += 599s;
  EXPECT_EQ(ask(token), "");
  EXPECT_EQ(fetches(), 1u);
  now_ += 2s;
  EXPECT_EQ(ask(token), "");
  EXPECT_EQ(fetches(), 2u);
}

TEST_F(google_keys, a_key_that_is_new_is_fetched_but_not_for_every_stranger) {
  EXPECT_EQ(ask(google().sign(claims())), "");
  const token_issuer next("key-2");
  EXPECT_THAT(ask(next.sign(claims())), HasSubstr("key is unknown"));
  EXPECT_EQ(fetches(), 1u);
  now_ += 31s;
  body_ = json{{"keys", json::array({google().key(), next.key()})}}.dump();
  EXPECT_EQ(ask(next.sign(claims())), "");
  EXPECT_EQ(fetches(), 2u);
  EXPECT_EQ(ask("no token"), "the token is no JSON Web Token");
  EXPECT_EQ(fetches(), 2u);
}

TEST_F(google_keys, that_cannot_be_had_are_no_refusal) {
  status_ = 500;
  EXPECT_THROW(ask(google().sign(claims())), error);
  EXPECT_THROW(ask(google().sign(claims())), error);
  EXPECT_EQ(fetches(), 1u);
  now_ += 2s;
  body_ = "<html>";
  status_ = 200;
  EXPECT_THROW(ask(google().sign(claims())), error);
  now_ += 2s;
  body_ = google().keys();
  EXPECT_EQ(ask(google().sign(claims())), "");
}

TEST(http_time_to_keep, is_within_bounds) {
  const auto kept = [](const char* value) {
    response answer;
    if (value) answer.headers.add("Cache-Control", value);
    return time_to_keep(answer);
  };
  EXPECT_EQ(kept(nullptr), 300s);
  EXPECT_EQ(kept("public, max-age=21600, must-revalidate"), 21600s);
  EXPECT_EQ(kept("max-age=0"), 60s);
  EXPECT_EQ(kept("max-age=999999999"), 86400s);
  EXPECT_EQ(kept("max-age=x"), 300s);
}

}  // namespace
}  // namespace rowrunner::http
