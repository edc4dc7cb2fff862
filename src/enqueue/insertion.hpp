#pragma once

#include <rowrunner/enqueue.hpp>
#include <span>
#include <string>
#include <vector>

namespace rowrunner {

/// A statement with its parameters, all checked, ready to be sent.
struct insertion {
  std::string sql;
  std::vector<text_value> params;
};

/// Decides without a database what to send. Both throw bad_input.
insertion plan_one(const job_table& target, const new_job& job);

/// What becomes of a row whose unique key exists.
enum class existing { skipped, refused };

/// The rows of one chunk. `columns` were checked by check_columns.
insertion plan_chunk(const job_table& target, const std::vector<std::string>& columns,
                     std::span<const std::vector<text_value>> rows, existing keys);

/// Throws bad_input for a name that is unknown, named twice or the engine's to write.
void check_columns(const job_table& target, const std::vector<std::string>& columns);

/// Throws bad_input for a row of the wrong width, and for text that PostgreSQL cannot store.
void check_rows(const std::vector<std::string>& columns,
                std::span<const std::vector<text_value>> rows);

}  // namespace rowrunner
