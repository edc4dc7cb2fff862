#include "common/log.hpp"

#include <spdlog/sinks/ansicolor_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <ctime>

#include "common/text.hpp"

namespace rowrunner {
namespace {

constexpr std::array<std::string_view, 5> names{"debug", "info", "warn", "error", "off"};

std::string_view name_of(log_level level) { return names[static_cast<std::size_t>(level)]; }

spdlog::level::level_enum severity(log_level level) {
  switch (level) {
    case log_level::debug:
      return spdlog::level::debug;
    case log_level::info:
      return spdlog::level::info;
    case log_level::warn:
      return spdlog::level::warn;
    case log_level::error:
      return spdlog::level::err;
    case log_level::off:
      break;
  }
  return spdlog::level::off;
}

std::shared_ptr<spdlog::logger> stderr_logger(log_format format) {
  if (format == log_format::json) {
    return std::make_shared<spdlog::logger>("rowrunner",
                                            std::make_shared<spdlog::sinks::stderr_sink_mt>());
  }
  return std::make_shared<spdlog::logger>(
      "rowrunner", std::make_shared<spdlog::sinks::ansicolor_stderr_sink_mt>());
}

log_format format_for_stderr() {
  return isatty(STDERR_FILENO) == 1 ? log_format::text : log_format::json;
}

// 2026-01-31T12:00:01.123Z
std::string utc_now() {
  const auto now = std::chrono::system_clock::now();
  const std::time_t seconds = std::chrono::system_clock::to_time_t(now);
  const auto ms =
      std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count() % 1000;
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 32> out{};
  const auto length = std::strftime(out.data(), out.size(), "%Y-%m-%dT%H:%M:%S", &parts);
  const std::string fraction = std::to_string(1000 + ms).substr(1);
  return std::string(out.data(), length) + "." + fraction + "Z";
}

// Values with blanks or quotes are quoted, so that a line can be taken apart again.
std::string readable(const nlohmann::json& value) {
  constexpr auto lossy = nlohmann::json::error_handler_t::replace;
  if (!value.is_string()) return value.dump(-1, ' ', false, lossy);
  const auto& text = value.get_ref<const std::string&>();
  const bool plain = !text.empty() && std::none_of(text.begin(), text.end(), [](unsigned char c) {
    return c <= ' ' || c == '"' || c == '=' || c == 0x7F;
  });
  return plain && valid_utf8(text) ? text : value.dump(-1, ' ', false, lossy);
}

}  // namespace

std::optional<log_level> parse_log_level(std::string_view name) {
  std::string word(name);
  std::transform(word.begin(), word.end(), word.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  // What loggers of Python call them.
  if (word == "warning") word = "warn";
  if (word == "critical") word = "error";
  const auto found = std::find(names.begin(), names.end(), word);
  if (found == names.end()) return std::nullopt;
  return static_cast<log_level>(found - names.begin());
}

logger::logger(log_level level, std::string worker)
    : logger(level, std::move(worker), format_for_stderr()) {}

logger::logger(log_level level, std::string worker, log_format format)
    : logger(stderr_logger(format), level, std::move(worker), format) {}

logger::logger(std::shared_ptr<spdlog::logger> out, log_level level, std::string worker,
               log_format format)
    : level_(level), worker_(std::move(worker)), format_(format), out_(std::move(out)) {
  out_->set_level(severity(level));
  out_->set_pattern(format == log_format::json ? "%v" : "%H:%M:%S.%e %^%v%$");
  out_->flush_on(spdlog::level::debug);
}

void logger::event(log_level level, std::string_view message,
                   std::span<const log_field> fields) const {
  if (!enabled(level)) return;
  // Values come from foreign answers and rows, and the log is read on a terminal.
  const std::string line = visible(format_ == log_format::json ? as_json(level, message, fields)
                                                               : as_text(level, message, fields));
  out_->log(severity(level), spdlog::string_view_t(line.data(), line.size()));
}

void event_log::event(log_level level, std::string_view message, log_fields fields) const {
  if (!out_->enabled(level)) return;
  std::vector<log_field> all = own_;
  all.insert(all.end(), fields.begin(), fields.end());
  out_->event(level, message, all);
}

std::string logger::as_text(log_level level, std::string_view message,
                            std::span<const log_field> fields) const {
  std::string out = std::string(name_of(level)) + " " + std::string(message);
  if (!worker_.empty()) out += " worker=" + worker_;
  for (const auto& [name, value] : fields) {
    out += ' ';
    out += name;
    out += '=';
    out += readable(value);
  }
  return out;
}

std::string logger::as_json(log_level level, std::string_view message,
                            std::span<const log_field> fields) const {
  nlohmann::ordered_json out{{"time", utc_now()}, {"level", name_of(level)}, {"message", message}};
  if (!worker_.empty()) out["worker"] = worker_;
  for (const auto& [name, value] : fields) out[std::string(name)] = value;
  return out.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace rowrunner
