#pragma once

#include <map>
#include <string>

#include "support/postgres.hpp"

namespace rowrunner::testing {

/// The columns of a job table as a user would write them, some of them replaced ("" leaves one
/// out), for CREATE TABLE.
inline std::string job_columns(const std::map<std::string, std::string>& changed = {},
                               bool with_key = true) {
  std::map<std::string, std::string> columns{{"id", "uuid DEFAULT rowrunner.new_id() NOT NULL"},
                                             {"status", "text NOT NULL DEFAULT 'queued'"},
                                             {"attempts", "integer NOT NULL DEFAULT 0"},
                                             {"max_attempts", "integer NOT NULL DEFAULT 3"},
                                             {"last_error", "text"},
                                             {"created_at", "timestamptz NOT NULL DEFAULT now()"},
                                             {"updated_at", "timestamptz NOT NULL DEFAULT now()"},
                                             {"locked_at", "timestamptz"},
                                             {"locked_by", "text"},
                                             {"lease", "bigint"},
                                             {"priority", "smallint NOT NULL DEFAULT 0"},
                                             {"run_at", "timestamptz NOT NULL DEFAULT now()"}};
  for (const auto& [name, type] : changed) columns[name] = type;
  std::string list = "name text";
  for (const auto& [name, type] : columns) {
    if (!type.empty()) list += ", " + name + " " + type;
  }
  return with_key ? list + ", PRIMARY KEY (id)" : list;
}

/// Makes the table my_jobs, in place of the one that is there.
inline void create_my_jobs(test_database& db,
                           const std::map<std::string, std::string>& changed = {},
                           bool with_key = true) {
  db.exec("DROP TABLE IF EXISTS my_jobs; CREATE TABLE my_jobs (" + job_columns(changed, with_key) +
          ")");
}

inline constexpr const char* attach_mine = "SELECT rowrunner.attach('my_jobs', kind => 'mine')";

}  // namespace rowrunner::testing
