#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "common/pg/query.hpp"
#include "common/pg/result.hpp"

namespace rowrunner {

/// One row of rowrunner.kinds, as db/queries/engine/kinds.sql reads it.
struct kind_info {
  int id = 0;
  std::string kind;
  /// The job table: schema and name, quoted by the database, so that it may stand in a statement.
  std::string table;
  /// The status of a cancelled job in that table.
  std::string cancelled_status;
  bool paused = false;
  /// How long succeeded jobs, and failed and cancelled ones, are kept, as PostgreSQL writes an
  /// interval; empty: for ever.
  std::string retention;
  std::string failed_retention;

  /// The text of a query with `{jobs}`, `{table}` (its name as a literal) and `{columns}` filled
  /// in. `columns` is SQL, so it must come from quoted names, as columns_of.sql gives them.
  std::string bind(const query& statement, std::string_view columns = "") const;
};

/// A row of what kinds.sql answered.
kind_info read_kind_info(const pg::result& kinds, int row);

struct mark {
  std::string_view name;
  std::string_view value;
};

/// `text` with each `{name}` replaced by its value, in one pass: a value that looks like a mark is
/// left as it is.
std::string fill(std::string_view text, std::initializer_list<mark> marks);

/// A name as SQL writes it: in double quotes, those inside doubled.
std::string quote_name(std::string_view name);

/// A text as SQL writes it, whatever standard_conforming_strings is.
std::string quote_literal(std::string_view text);

}  // namespace rowrunner
