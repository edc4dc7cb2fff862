#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace rowrunner {

/// Settings by name: the process environment, and below it a .env file.
class environment {
 public:
  /// A file that does not exist is an empty one. Throws usage_error, with file and line, for a line
  /// that is neither KEY=VALUE nor a comment.
  static environment load(const std::string& path = ".env");
  /// Only what is given; for tests.
  explicit environment(std::map<std::string, std::string> file) : file_(std::move(file)) {}

  /// An empty value counts as none.
  std::optional<std::string> get(const std::string& name) const;

  /// Those that are set and not empty, in order.
  std::set<std::string> names_that_begin_with(std::string_view prefix) const;

 private:
  std::map<std::string, std::string> file_;
};

/// The lines of a .env file; `name` is for messages. Values may stand in single quotes (literally)
/// or double quotes (with \n, \", \\ and \$); `export ` before a key and a comment behind a value
/// are left out.
std::map<std::string, std::string> parse_env_file(std::string_view text, std::string_view name);

/// A database URL or key=value string without its passwords, fit to be shown.
std::string redact_url(std::string_view url);

}  // namespace rowrunner
