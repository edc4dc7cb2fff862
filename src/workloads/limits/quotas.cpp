#include "workloads/limits/quotas.hpp"

#include <charconv>
#include <cmath>

#include "common/errors.hpp"

namespace rowrunner::limits {
namespace {

constexpr std::string_view prefix = "LIMIT_";

[[noreturn]] void refuse(std::string_view name, std::string_view part) {
  throw usage_error(std::string{name} + ": '" + std::string{part} +
                    "' is not understood; write for example "
                    "requests=600/min,tokens=90000/min,concurrency=32");
}

double positive(std::string_view text, std::string_view name, std::string_view part) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc{} && end == text.data() + text.size();
  if (!whole || !std::isfinite(value) || value <= 0 || value > 1e12) refuse(name, part);
  return value;
}

double a_minute(std::string_view text, std::string_view name, std::string_view part) {
  const auto slash = text.find('/');
  if (slash == std::string_view::npos) refuse(name, part);
  const double value = positive(text.substr(0, slash), name, part);
  const auto unit = text.substr(slash + 1);
  if (unit == "s") return value * 60;
  if (unit == "min") return value;
  if (unit == "hour") return value / 60;
  refuse(name, part);
}

int calls_at_a_time(std::string_view text, std::string_view name, std::string_view part) {
  const double value = positive(text, name, part);
  if (value > 100'000 || value != std::floor(value)) refuse(name, part);
  return static_cast<int>(value);
}

}  // namespace

quota parse_quota(std::string_view text, std::string_view name) {
  quota out;
  while (!text.empty()) {
    const auto comma = text.find(',');
    auto part = text.substr(0, comma);
    text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
    while (part.starts_with(' ')) part.remove_prefix(1);
    while (part.ends_with(' ')) part.remove_suffix(1);
    const auto equals = part.find('=');
    if (equals == std::string_view::npos) refuse(name, part);
    const auto what = part.substr(0, equals);
    const auto value = part.substr(equals + 1);
    if (what == "requests") {
      out.requests_per_minute = a_minute(value, name, part);
    } else if (what == "tokens") {
      out.tokens_per_minute = a_minute(value, name, part);
    } else if (what == "concurrency") {
      out.concurrency = calls_at_a_time(value, name, part);
    } else {
      refuse(name, part);
    }
  }
  return out;
}

std::string variable_of(std::string_view key) {
  std::string out{prefix};
  for (const char c : key) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (letter) {
      out += static_cast<char>(c & ~0x20);
    } else {
      out += c >= '0' && c <= '9' ? c : '_';
    }
  }
  return out;
}

void check_quotas(const environment& env) {
  for (const auto& name : env.names_that_begin_with(prefix)) {
    parse_quota(env.get(name).value_or(""), name);
  }
}

quota quota_of(std::string_view key, const environment& env) {
  const auto name = variable_of(key);
  return parse_quota(env.get(name).value_or(""), name);
}

}  // namespace rowrunner::limits
