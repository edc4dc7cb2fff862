#include <gtest/gtest.h>

#include "common/http/base64.hpp"
#include "common/http/error.hpp"
#include "common/http/message.hpp"
#include "common/http/url.hpp"

namespace rowrunner::http {
namespace {

using namespace std::chrono_literals;

std::optional<std::chrono::milliseconds> wait_of(const std::string& value) {
  response answer;
  answer.headers.add("retry-after", value);
  // Sun, 06 Nov 1994 08:49:37 GMT
  return retry_after(answer, std::chrono::system_clock::from_time_t(784111777));
}

TEST(http_retry_after, in_seconds) {
  EXPECT_EQ(wait_of("0"), 0ms);
  EXPECT_EQ(wait_of("120"), 120s);
  EXPECT_EQ(wait_of(" 7 "), 7s);
  EXPECT_EQ(wait_of("999999999999999999999999"), std::chrono::hours(24 * 7));
}

TEST(http_retry_after, as_a_date_in_three_forms) {
  EXPECT_EQ(wait_of("Sun, 06 Nov 1994 08:50:37 GMT"), 60s);
  EXPECT_EQ(wait_of("Sunday, 06-Nov-94 08:50:37 GMT"), 60s);
  EXPECT_EQ(wait_of("Sun Nov  6 08:50:37 1994"), 60s);
  EXPECT_EQ(wait_of("Sun, 06 Nov 1994 08:49:00 GMT"), 0ms);
}

TEST(http_retry_after, nonsense_is_none) {
  for (const char* value :
       {"", "-1", "soon", "1.5", "Sun, 99 Nov 1994 08:50:37 GMT", "12 monkeys"}) {
    EXPECT_EQ(wait_of(value), std::nullopt) << value;
  }
  EXPECT_EQ(retry_after(response()), std::nullopt);
}

TEST(http_headers, are_found_in_any_case) {
  header_list list;
  list.add("Content-Type", "a");
  list.add("content-type", "b");
  EXPECT_EQ(list.get("CONTENT-TYPE"), "a");
  list.set("Content-type", "c");
  EXPECT_EQ(list.size(), 1U);
  EXPECT_EQ(list.get("Content-Type"), "c");
  list.erase("CONTENT-TYPE");
  EXPECT_FALSE(list.contains("Content-Type"));
}

TEST(http_url, in_parts) {
  const auto plain = parse_url("HTTP://Example.COM");
  EXPECT_EQ(plain.text(), "http://example.com/");
  EXPECT_EQ(plain.server.port, 80);
  const auto full = parse_url("https://example.com:8443/a%20b/?q=%E4%BA%AC&x#part");
  EXPECT_EQ(full.server.port, 8443);
  EXPECT_EQ(full.server.authority(), "example.com:8443");
  EXPECT_EQ(full.target, "/a%20b/?q=%E4%BA%AC&x");
  const auto six = parse_url("https://[::1]:443/");
  EXPECT_EQ(six.server.host, "::1");
  EXPECT_EQ(six.server.authority(), "[::1]");
  EXPECT_EQ(parse_url("http://a?q").target, "/?q");
}

TEST(http_url, that_cannot_be_asked) {
  for (const char* text :
       {"", "example.com", "/path", "ftp://a/", "http:", "http://", "http:///a", "http://a:0/",
        "http://a:99999/", "http://a:x/", "http://a b/", "http://u@a/", "http://u:p@a/",
        "http://a/\r\nX: y", "http://京都.jp/", "http://a%00b/", "javascript:alert(1)"}) {
    EXPECT_THROW(parse_url(text), error) << text;
  }
}

TEST(http_url, encodes_and_decodes) {
  EXPECT_EQ(percent_encode("a/b c~-._%京"), "a%2Fb%20c~-._%25%E4%BA%AC");
  EXPECT_EQ(percent_decode("a%2Fb%20c~-._%25%E4%ba%AC"), "a/b c~-._%京");
  EXPECT_EQ(percent_decode("%"), "%");
  EXPECT_EQ(percent_decode("%4"), "%4");
  EXPECT_EQ(percent_decode("%zz%41"), "%zzA");
}

TEST(http_base64, in_both_forms) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("a"), "YQ==");
  EXPECT_EQ(base64("\xfb\xff\xfe"), "+//+");
  EXPECT_EQ(base64_url("\xfb\xff\xfe"), "-__-");
  EXPECT_EQ(base64_url("a"), "YQ");
}

}  // namespace
}  // namespace rowrunner::http
