#include "program/context.hpp"

#include <CLI/CLI.hpp>

#include "common/errors.hpp"
#include "common/text.hpp"

namespace rowrunner {

void program_context::add_flags(CLI::App& app) {
  app.add_option("--database-url", database_url_flag,
                 "The database; default: DATABASE_URL from the environment or .env");
  app.add_option("--log-level", log_level_flag,
                 "debug, info, warn, error or off; default: LOG_LEVEL, or info");
}

std::string program_context::database_url() const {
  // An empty flag is most likely a variable that is not set; another database would be a surprise.
  if (database_url_flag && database_url_flag->empty()) {
    throw usage_error("--database-url is empty: leave it out to use DATABASE_URL");
  }
  if (database_url_flag) return *database_url_flag;
  if (auto set = env.get("DATABASE_URL")) return *set;
  throw usage_error(
      "no database: set DATABASE_URL (environment or .env) or give --database-url, as in "
      "postgresql://user@host:5432/database");
}

std::shared_ptr<logger> program_context::make_logger(std::string worker) const {
  const std::string word = log_level_flag.value_or(env.get("LOG_LEVEL").value_or("info"));
  const auto level = parse_log_level(word);
  if (!level) {
    throw usage_error("log level '" + printable(word, 40) +
                      "' is none of debug, info, warn, error, off");
  }
  return std::make_shared<logger>(*level, std::move(worker));
}

}  // namespace rowrunner
