#include "api/response.hpp"

#include <array>
#include <cstdio>
#include <ctime>

namespace rowrunner::api {

http::response<http::string_body> to_response(const request& asked, answer out, bool keep_alive) {
  http::response<http::string_body> message;
  message.result(static_cast<unsigned>(out.status));
  message.version(asked.head.version() < 11 ? 10 : 11);
  message.set(http::field::date, http_date(std::chrono::system_clock::now()));
  message.set("X-Request-Id", asked.id);
  message.set(http::field::cache_control, "no-store");
  message.set("X-Content-Type-Options", "nosniff");
  message.set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'");
  if (!out.content_type.empty()) message.set(http::field::content_type, out.content_type);
  for (const auto& [name, value] : out.headers) message.set(name, value);
  message.body() = std::move(out.body);
  message.keep_alive(keep_alive);
  message.prepare_payload();
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
