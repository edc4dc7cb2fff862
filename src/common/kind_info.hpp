#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "common/query.hpp"

namespace rowrunner {

/// One row of rowrunner.kinds, as db/queries/kinds.sql reads it.
struct kind_info {
  int id = 0;
  std::string kind;
  /// The job table: schema and name, quoted by the database, so that it may stand in a statement.
  std::string table;
  /// The word for a cancelled job in that table.
  std::string cancelled_status;
  bool paused = false;
  /// How long finished jobs are kept, as PostgreSQL writes an interval; empty: for ever.
  std::string retention;

  /// The text of a query with `{jobs}` and `{columns}` filled in. `columns` is SQL, so it must come
  /// from quoted names, as columns_of.sql gives them.
  std::string bind(const query& statement, std::string_view columns = "") const;
};

struct mark {
  std::string_view name;
  std::string_view value;
};

/// `text` with each `{name}` replaced by its value, in one pass: a value that looks like a mark is
/// left as it is.
std::string fill(std::string_view text, std::initializer_list<mark> marks);

/// A name as SQL writes it: in double quotes, those inside doubled.
std::string quote_name(std::string_view name);

}  // namespace rowrunner
