#include "common/log.hpp"

#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <sstream>

namespace rowrunner {
namespace {

class log_test : public ::testing::Test {
 protected:
  logger make(log_level level, log_format format, std::string worker = {}) {
    auto sink = std::make_shared<spdlog::sinks::ostream_sink_st>(out_);
    return {std::make_shared<spdlog::logger>("test", sink), level, std::move(worker), format};
  }

  std::ostringstream out_;
};

TEST_F(log_test, json_lines_parse_and_carry_their_fields) {
  make(log_level::info, log_format::json, "w1")
      .warn("job failed", {{"kind", "letter"}, {"attempt", 2}, {"error", "two\nlines \xFF"}});
  const std::string text = out_.str();
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1);
  const auto line = nlohmann::json::parse(text);
  EXPECT_EQ(line["level"], "warn");
  EXPECT_EQ(line["message"], "job failed");
  EXPECT_EQ(line["worker"], "w1");
  EXPECT_EQ(line["kind"], "letter");
  EXPECT_EQ(line["attempt"], 2);
  EXPECT_EQ(line["error"], "two\nlines \uFFFD");
  EXPECT_TRUE(line["time"].get<std::string>().ends_with("Z"));
}

TEST_F(log_test, text_lines_are_readable_and_stay_one_line) {
  make(log_level::debug, log_format::text)
      .info("claimed", {{"kind", "letter"}, {"jobs", 10}, {"error", "a b\n"}, {"empty", ""}});
  const std::string text = out_.str();
  EXPECT_NE(text.find("info claimed kind=letter jobs=10 error=\"a b\\n\" empty=\"\""),
            std::string::npos)
      << text;
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1);
}

TEST_F(log_test, levels_below_the_threshold_are_left_out) {
  const logger log = make(log_level::warn, log_format::json);
  log.debug("a");
  log.info("b");
  EXPECT_EQ(out_.str(), "");
  EXPECT_FALSE(log.enabled(log_level::info));
  EXPECT_TRUE(log.enabled(log_level::error));
  log.error("c");
  EXPECT_NE(out_.str(), "");
  EXPECT_FALSE(make(log_level::off, log_format::json).enabled(log_level::error));
}

TEST(log_level, has_names) {
  EXPECT_EQ(parse_log_level("debug"), log_level::debug);
  EXPECT_EQ(parse_log_level("off"), log_level::off);
  EXPECT_EQ(parse_log_level("INFO"), log_level::info);
  EXPECT_EQ(parse_log_level("WARNING"), log_level::warn);
  EXPECT_EQ(parse_log_level("Critical"), log_level::error);
  EXPECT_EQ(parse_log_level("loud"), std::nullopt);
  EXPECT_EQ(parse_log_level(""), std::nullopt);
}

}  // namespace
}  // namespace rowrunner
