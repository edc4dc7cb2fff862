#include "api/response.hpp"

#include <array>
#include <cstdio>
#include <ctime>

namespace rowrunner::api {

namespace {

void fill_head(http::response_header<>& head, const request& asked, const answer& out) {
  head.result(static_cast<unsigned>(out.status));
  head.version(asked.head.version() < 11 ? 10 : 11);
  head.set(http::field::date, http_date(std::chrono::system_clock::now()));
  head.set("X-Request-Id", asked.id);
  head.set(http::field::cache_control, "no-store");
  head.set("X-Content-Type-Options", "nosniff");
  head.set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'");
  if (!out.content_type.empty()) head.set(http::field::content_type, out.content_type);
  for (const auto& [name, value] : out.headers) head.set(name, value);
}

}  // namespace

http::response<http::string_body> to_response(const request& asked, answer out, bool keep_alive) {
  http::response<http::string_body> message;
  fill_head(message, asked, out);
  message.body() = std::move(out.body);
  message.keep_alive(keep_alive);
  message.prepare_payload();
  return message;
}

http::response<http::empty_body> to_stream_head(const request& asked, const answer& out,
                                                bool keep_alive) {
  http::response<http::empty_body> message;
  fill_head(message, asked, out);
  message.keep_alive(keep_alive);
  message.content_length(out.stream->size());
  return message;
}

std::string http_date(std::chrono::system_clock::time_point when) {
  constexpr std::array days{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr std::array months{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                              "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const std::time_t seconds = std::chrono::system_clock::to_time_t(when);
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 64> out{};
  const int size = std::snprintf(out.data(), out.size(), "%s, %02d %s %d %02d:%02d:%02d GMT",
                                 days[static_cast<std::size_t>(parts.tm_wday)], parts.tm_mday,
                                 months[static_cast<std::size_t>(parts.tm_mon)],
                                 parts.tm_year + 1900, parts.tm_hour, parts.tm_min, parts.tm_sec);
  return {out.data(), static_cast<std::size_t>(size)};
}

}  // namespace rowrunner::api
