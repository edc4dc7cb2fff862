#include "enqueue/insertion.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "common/pg/array.hpp"
#include "common/schema/kind_info.hpp"
#include "common/text.hpp"
#include "common/uuid.hpp"
#include "queries/engine.hpp"

namespace rowrunner {
namespace {

// Columns that only the engine writes. created_at is a default that one may want to set.
constexpr std::array<std::string_view, 7> engine_columns{
    "status", "attempts", "last_error", "updated_at", "locked_at", "locked_by", "lease"};
// Those that new_job has fields for.
constexpr std::array<std::string_view, 4> field_columns{"id", "priority", "max_attempts", "run_at"};

template <std::size_t N>
bool contains(const std::array<std::string_view, N>& list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

const job_table::column& find_column(const job_table& target, std::string_view name) {
  const auto found = std::find_if(target.columns.begin(), target.columns.end(),
                                  [&](const auto& column) { return column.name == name; });
  if (found == target.columns.end()) {
    std::string names;
    for (const auto& column : target.columns) {
      if (contains(engine_columns, column.name)) continue;
      names += (names.empty() ? "" : ", ") + column.name;
    }
    throw bad_input("kind " + target.kind + " has no column '" + printable(name, 100) +
                    "'; there are: " + names);
  }
  if (contains(engine_columns, name)) {
    throw bad_input("column " + std::string(name) + " of kind " + target.kind +
                    " is written by the engine only");
  }
  return *found;
}

std::string checked_id(const std::string& id) {
  if (!is_uuid(id)) throw bad_input("id '" + printable(id, 100) + "' is not a uuid");
  return id;
}

std::string in_range(std::string_view what, int value, int smallest, int largest) {
  if (value < smallest || value > largest) {
    throw bad_input(std::string(what) + " " + std::to_string(value) + " is not between " +
                    std::to_string(smallest) + " and " + std::to_string(largest));
  }
  return std::to_string(value);
}

// Collects the columns of one INSERT, and the expression and parameter of each.
class row_builder {
 public:
  void add(std::string_view column, text_value value, std::string_view before = "",
           std::string_view after = "") {
    params_.push_back(std::move(value));
    append(columns_, quote_name(column));
    append(values_,
           std::string(before) + "$" + std::to_string(params_.size()) + std::string(after));
  }

  insertion build(const job_table& target, const std::string& key) && {
    return {
        fill(queries::enqueue.text,
             {{"jobs", target.table}, {"columns", columns_}, {"values", values_}, {"key", key}}),
        std::move(params_)};
  }

 private:
  static void append(std::string& list, const std::string& item) {
    list += (list.empty() ? "" : ", ") + item;
  }

  std::string columns_;
  std::string values_;
  std::vector<text_value> params_;
};

/// The key that ON CONFLICT checks before it writes. An id that was made here cannot conflict, so
/// only the other key is checked; without a single one of those, PostgreSQL checks all of them.
std::string checked_key(const job_table& target, bool own_id) {
  return own_id || target.unique_key.empty() ? "" : "(" + target.unique_key + ")";
}

void add_schedule(row_builder& row, const new_job& job) {
  if (job.delay && job.run_at) throw bad_input("a job has either a delay or a run_at, not both");
  if (job.delay) {
    row.add("run_at", std::to_string(job.delay->count()),
            "pg_catalog.now() OPERATOR(pg_catalog.+) (",
            "::bigint OPERATOR(pg_catalog.*) interval '1 ms')");
  }
  if (job.run_at) {
    const auto since = job.run_at->time_since_epoch();
    const auto us = std::chrono::duration_cast<std::chrono::microseconds>(since).count();
    row.add("run_at", std::to_string(us),
            "timestamp with time zone 'epoch' OPERATOR(pg_catalog.+) (",
            "::bigint OPERATOR(pg_catalog.*) interval '1 microsecond')");
  }
}

}  // namespace

std::string new_job_id() {
  // One maker per thread, so that ids of a thread grow and no lock is needed.
  thread_local uuid_maker maker;
  return maker.next();
}

insertion plan_one(const job_table& target, const new_job& job) {
  row_builder row;
  row.add("id", job.id ? checked_id(*job.id) : new_job_id());
  for (const auto& [name, value] : job.columns) {
    if (contains(field_columns, name)) {
      throw bad_input("set " + name + " by the field of that name, not as a column");
    }
    find_column(target, name);
    if (value) check_text("column " + name, *value);
    row.add(name, value);
  }
  if (job.priority) {
    using limits = std::numeric_limits<std::int16_t>;
    row.add("priority", in_range("priority", *job.priority, limits::min(), limits::max()));
  }
  if (job.max_attempts) {
    row.add("max_attempts", in_range("max_attempts", *job.max_attempts, 1,
                                     std::numeric_limits<std::int32_t>::max()));
  }
  add_schedule(row, job);
  return std::move(row).build(target, checked_key(target, job.id.has_value()));
}

void check_columns(const job_table& target, const std::vector<std::string>& columns) {
  for (auto name = columns.begin(); name != columns.end(); ++name) {
    find_column(target, *name);
    if (std::find(columns.begin(), name, *name) != name) {
      throw bad_input("column " + *name + " is named twice");
    }
  }
}

void check_rows(const std::vector<std::string>& columns,
                std::span<const std::vector<text_value>> rows) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto& row = rows[i];
    const std::string where = "row " + std::to_string(i + 1);
    if (row.size() != columns.size()) {
      throw bad_input(where + " has " + std::to_string(row.size()) + " values for " +
                      std::to_string(columns.size()) + " columns");
    }
    for (std::size_t c = 0; c < columns.size(); ++c) {
      if (!row[c]) continue;
      if (columns[c] == "id") checked_id(*row[c]);
      // Most texts are fine, and a message is made only for those that are not.
      if (!valid_utf8(*row[c]) || row[c]->find('\0') != std::string::npos) {
        check_text(where + ", column " + columns[c], *row[c]);
      }
    }
  }
}

insertion plan_chunk(const job_table& target, const std::vector<std::string>& columns,
                     std::span<const std::vector<text_value>> rows, existing keys) {
  std::string names;
  std::string values;
  std::string arrays;
  std::vector<text_value> params;
  const auto add = [&](const job_table::column& column, std::string literal) {
    params.emplace_back(std::move(literal));
    const std::string comma = names.empty() ? "" : ", ";
    const std::string quoted = quote_name(column.name);
    // An array of arrays would be unnested to its elements, so such values travel as text.
    names += comma + quoted;
    values += comma + quoted + (column.is_array ? "::" + column.type : "");
    arrays += comma + "pg_catalog.unnest($" + std::to_string(params.size()) +
              "::" + (column.is_array ? "pg_catalog.text" : column.type) + "[])";
  };
  const bool own_ids = std::find(columns.begin(), columns.end(), "id") != columns.end();
  if (!own_ids) {
    std::vector<std::string> ids(rows.size());
    std::generate(ids.begin(), ids.end(), new_job_id);
    add(find_column(target, "id"), pg::array(ids));
  }
  std::vector<text_value> column_values(rows.size());
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const bool is_id = columns[c] == "id";
    std::transform(rows.begin(), rows.end(), column_values.begin(),
                   [&](const auto& row) { return is_id && !row[c] ? new_job_id() : row[c]; });
    add(find_column(target, columns[c]), pg::array(column_values));
  }
  const auto& how = keys == existing::refused ? queries::enqueue_new : queries::enqueue_many;
  return {fill(how.text, {{"jobs", target.table},
                          {"columns", names},
                          {"values", values},
                          {"arrays", arrays},
                          {"key", checked_key(target, own_ids)}}),
          std::move(params)};
}

}  // namespace rowrunner
