#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/paths.hpp"
#include "support/postgres.hpp"
#include "support/process.hpp"

namespace rowrunner::testing {

/// Runs the real binary against a database.
class command {
 public:
  explicit command(const test_database& db) : url_(db.url()) {}

  process_result run(std::vector<std::string> arguments,
                     process_environment environment = {}) const {
    arguments.insert(arguments.begin(), rowrunner_binary());
    environment.emplace("DATABASE_URL", url_);
    return run_process(arguments, environment);
  }

  /// What a command that must succeed prints.
  std::string out(const std::vector<std::string>& arguments) const {
    const auto result = run(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.err, "");
    return result.out;
  }

  nlohmann::json parsed(std::vector<std::string> arguments) const {
    arguments.emplace_back("--json");
    return nlohmann::json::parse(out(arguments));
  }

  /// The one line of complaint of a command that must fail with that code.
  std::string error(int exit_code, const std::vector<std::string>& arguments,
                    const process_environment& environment = {}) const {
    const auto result = run(arguments, environment);
    EXPECT_EQ(result.exit_code, exit_code) << result.out << result.err;
    return result.err;
  }

 private:
  std::string url_;
};

}  // namespace rowrunner::testing
