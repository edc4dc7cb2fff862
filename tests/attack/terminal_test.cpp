// Text of other people's answers and rows reaches the log, and the log reaches a terminal.

#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <sstream>

#include "common/log.hpp"

namespace rowrunner {
namespace {

std::string logged(log_format format, const std::string& evil) {
  std::ostringstream out;
  auto sink = std::make_shared<spdlog::sinks::ostream_sink_st>(out);
  const logger log(std::make_shared<spdlog::logger>("test", sink), log_level::info, evil, format);
  log.warn(evil, {{"plain", evil}, {"blank", "a " + evil}, {"list", {evil}}});
  return out.str();
}

TEST(terminal, no_control_character_reaches_the_log) {
  for (const std::string evil : {"\x1b[2J", "\x07", "\r", "\n", "\x7f",
                                 "\xC2\x9B"
                                 "2J",
                                 "\xC2\x90q",
                                 "\xC2\x9D"
                                 "0;x",
                                 "\xC2\x80", "\xC2\x9F", "\xE2\x80\xAE", "\xE2\x81\xA6",
                                 "\xE2\x80\x8B", "\xE2\x80\xA8", "\xEF\xBB\xBF", "\xF3\xA0\x81\x81",
                                 "\x9b"
                                 "2J"}) {
    for (const auto format : {log_format::text, log_format::json}) {
      std::string line = logged(format, evil);
      ASSERT_TRUE(line.ends_with('\n'));
      line.pop_back();
      EXPECT_EQ(line.find(evil), std::string::npos) << line;
    }
  }
}

TEST(terminal, a_line_of_json_still_says_the_same) {
  const std::string evil = "\x1b[2J \xC2\x9B \xE2\x80\xAE \xF3\xA0\x81\x81 京都";
  const auto line = nlohmann::json::parse(logged(log_format::json, evil));
  EXPECT_EQ(line["message"], evil);
  EXPECT_EQ(line["plain"], evil);
  EXPECT_EQ(line["list"][0], evil);
}

}  // namespace
}  // namespace rowrunner
