// What answers say about limits, in the spellings of several services.
#include "workloads/limits/answer_headers.hpp"

#include <gtest/gtest.h>

#include "common/errors.hpp"
#include "workloads/limits/quotas.hpp"

namespace rowrunner::limits {
namespace {

using namespace std::chrono_literals;

using variables = std::map<std::string, std::string>;

const auto now = std::chrono::system_clock::from_time_t(1'800'000'000);

answer_facts read(int status, std::initializer_list<std::pair<std::string, std::string>> fields) {
  http::response answer;
  answer.status = status;
  for (const auto& [name, value] : fields) answer.headers.add(name, value);
  return facts_of(answer, now);
}

TEST(limit_answers, of_openai) {
  const auto found = read(200, {{"x-ratelimit-limit-requests", "600"},
                                {"x-ratelimit-remaining-requests", "599"},
                                {"x-ratelimit-reset-requests", "120ms"},
                                {"x-ratelimit-limit-tokens", "150000"},
                                {"x-ratelimit-remaining-tokens", "149984"},
                                {"x-ratelimit-reset-tokens", "6m0.5s"}});
  EXPECT_EQ(found.status, 200);
  EXPECT_EQ(found.limit_requests, 600);
  EXPECT_EQ(found.remaining_requests, 599);
  EXPECT_EQ(found.reset_requests, 120ms);
  EXPECT_EQ(found.limit_tokens, 150'000);
  EXPECT_EQ(found.remaining_tokens, 149'984);
  EXPECT_EQ(found.reset_tokens, 6min + 500ms);
  EXPECT_FALSE(found.retry_after);
}

TEST(limit_answers, of_anthropic) {
  const auto found = read(429, {{"retry-after", "17"},
                                {"anthropic-ratelimit-requests-limit", "50"},
                                {"anthropic-ratelimit-requests-remaining", "0"},
                                {"anthropic-ratelimit-requests-reset", "2027-01-15T08:00:30Z"}});
  EXPECT_EQ(found.retry_after, 17s);
  EXPECT_EQ(found.limit_requests, 50);
  EXPECT_EQ(found.reset_requests, 30s);
}

TEST(limit_answers, with_a_time_or_with_seconds) {
  EXPECT_EQ(read(200, {{"X-RateLimit-Limit", "5000"},
                       {"X-RateLimit-Remaining", "4999"},
                       {"X-RateLimit-Reset", "1800000060"}})
                .reset_requests,
            60s);
  EXPECT_EQ(read(200, {{"RateLimit-Limit", "100, 100;w=60"},
                       {"RateLimit-Remaining", "40"},
                       {"RateLimit-Reset", "7"}})
                .limit_requests,
            100);
}

TEST(limit_answers, that_make_no_sense_say_nothing) {
  for (const auto& limit : {"0", "-1", "", "many", "1e9", "99999999999999999999"}) {
    const auto found = read(200, {{"x-ratelimit-limit-requests", limit},
                                  {"x-ratelimit-remaining-requests", "0"},
                                  {"x-ratelimit-reset-requests", "1s"}});
    EXPECT_FALSE(found.limit_requests) << limit;
  }
  EXPECT_FALSE(
      read(200, {{"x-ratelimit-limit", "10"}, {"x-ratelimit-remaining", "-1"}}).remaining_requests);
  for (const auto& reset : {"", "soon", "-5", "5 apples", "1s2", "nan", "inf", "1e300", "12x",
                            "2026-13-99T00:00:00Z", "2027-01-15T08:00:30+09:00"}) {
    EXPECT_FALSE(parse_reset(reset, now)) << reset;
  }
}

TEST(limit_quotas, are_read_from_the_variable_of_the_key) {
  EXPECT_EQ(variable_of("gemini:flash-2.5"), "LIMIT_GEMINI_FLASH_2_5");
  const environment env(
      variables{{"LIMIT_GEMINI_FLASH", "requests=600/min, tokens=1500/s,concurrency=32"}});
  const auto found = quota_of("gemini:flash", env);
  EXPECT_EQ(found.requests_per_minute, 600);
  EXPECT_EQ(found.tokens_per_minute, 90'000);
  EXPECT_EQ(found.concurrency, 32);
  EXPECT_EQ(quota_of("other", env), quota{});
  EXPECT_EQ(parse_quota("requests=1200/hour", "X").requests_per_minute, 20);
}

TEST(limit_quotas, that_are_not_understood_are_refused_with_their_name) {
  for (const auto& text :
       {"600", "requests=600", "requests=0/min", "requests=-1/min", "requests=x/min",
        "requests=1/day", "concurrency=1.5", "concurrency=0", "calls=3/min", "requests=nan/min",
        "requests=inf/s", "requests=1/min,"}) {
    const environment env(variables{{"LIMIT_A", text}});
    if (std::string_view(text).ends_with(',')) {
      EXPECT_NO_THROW(check_quotas(env)) << text;
      continue;
    }
    try {
      check_quotas(env);
      ADD_FAILURE() << text;
    } catch (const usage_error& e) {
      EXPECT_NE(std::string(e.what()).find("LIMIT_A"), std::string::npos) << e.what();
    }
  }
}

}  // namespace
}  // namespace rowrunner::limits
