#include "common/environment.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "common/errors.hpp"

namespace rowrunner {
namespace {

TEST(environment, reads_a_file_line_by_line) {
  const auto values = parse_env_file(
      "# a comment\n"
      "\n"
      "PLAIN=value\n"
      "  SPACED  =  a value with blanks  \r\n"
      "export EXPORTED=yes\n"
      "EMPTY=\n"
      "HASH=se#cret # but this is a comment\n"
      "DOUBLE=\"two\\nlines \\\"quoted\\\" # kept\" # gone\n"
      "SINGLE='as \\n it is'\n"
      "EQUALS=a=b=c\n"
      "LAST=without newline",
      ".env");
  EXPECT_EQ(values.at("PLAIN"), "value");
  EXPECT_EQ(values.at("SPACED"), "a value with blanks");
  EXPECT_EQ(values.at("EXPORTED"), "yes");
  EXPECT_EQ(values.at("EMPTY"), "");
  EXPECT_EQ(values.at("HASH"), "se#cret");
  EXPECT_EQ(values.at("DOUBLE"), "two\nlines \"quoted\" # kept");
  EXPECT_EQ(values.at("SINGLE"), "as \\n it is");
  EXPECT_EQ(values.at("EQUALS"), "a=b=c");
  EXPECT_EQ(values.at("LAST"), "without newline");
}

TEST(environment, names_file_and_line_of_what_it_cannot_read_but_not_the_text) {
  for (const std::string line : {"secret", "=secret", "BAD KEY=secret", "1KEY=secret",
                                 "KEY=\"secret", "KEY='secret' more"}) {
    try {
      parse_env_file("GOOD=1\n" + line + "\n", "some/.env");
      ADD_FAILURE() << line << " was accepted";
    } catch (const usage_error& error) {
      EXPECT_EQ(std::string(error.what()),
                "some/.env:2: expected KEY=VALUE, with any quotes closed");
    }
  }
}

TEST(environment, the_process_environment_wins_over_the_file) {
  const environment env({{"ROWRUNNER_UNIT_A", "file"}, {"ROWRUNNER_UNIT_B", "file"}});
  setenv("ROWRUNNER_UNIT_A", "process", 1);
  setenv("ROWRUNNER_UNIT_B", "", 1);
  EXPECT_EQ(env.get("ROWRUNNER_UNIT_A"), "process");
  EXPECT_EQ(env.get("ROWRUNNER_UNIT_B"), "file");  // empty counts as not set
  EXPECT_EQ(env.get("ROWRUNNER_UNIT_C"), std::nullopt);
  unsetenv("ROWRUNNER_UNIT_A");
  unsetenv("ROWRUNNER_UNIT_B");
}

TEST(environment, loads_a_file_and_takes_a_missing_one_as_empty) {
  const auto path = std::filesystem::path(::testing::TempDir()) / "rowrunner_unit.env";
  std::ofstream(path) << "ROWRUNNER_UNIT_D=from file\n";
  EXPECT_EQ(environment::load(path).get("ROWRUNNER_UNIT_D"), "from file");
  std::filesystem::remove(path);
  EXPECT_EQ(environment::load(path).get("ROWRUNNER_UNIT_D"), std::nullopt);
}

TEST(redact_url, hides_passwords_wherever_they_stand) {
  EXPECT_EQ(redact_url("postgresql://u:secret@h:5432/d"), "postgresql://u:***@h:5432/d");
  EXPECT_EQ(redact_url("postgresql://u:se@cr:et@h/d"), "postgresql://u:***@h/d");
  EXPECT_EQ(redact_url("postgresql://u@h/d"), "postgresql://u@h/d");
  EXPECT_EQ(redact_url("postgresql:///d?host=/run&password=secret&user=u"),
            "postgresql:///d?host=/run&password=***&user=u");
  EXPECT_EQ(redact_url("postgres://u@h/d?sslpassword=secret"), "postgres://u@h/d?sslpassword=***");
  EXPECT_EQ(redact_url("host=h password=secret dbname=d"), "host=h password=*** dbname=d");
  EXPECT_EQ(redact_url("password = 'two \\' words' host=h"), "password = *** host=h");
  EXPECT_EQ(redact_url("host=h PASSWORD=secret"), "host=h PASSWORD=***");
  EXPECT_EQ(redact_url("sslpassword=secret password="), "sslpassword=*** password=***");
  EXPECT_EQ(redact_url("password='never closed"), "password=***");
  EXPECT_EQ(redact_url("password=a\\ b host=h"), "password=*** host=h");
  EXPECT_EQ(redact_url("dbname=mypassword=x"), "dbname=mypassword=x");
  EXPECT_EQ(redact_url("host=h"), "host=h");
  EXPECT_EQ(redact_url(""), "");
}

}  // namespace
}  // namespace rowrunner
