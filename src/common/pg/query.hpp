#pragma once

#include <string>
#include <string_view>

#include "common/pg/statement.hpp"

namespace rowrunner {

/// One statement of db/queries. The name is also the name of the prepared statement, the log field
/// and the metric's label. `{jobs}` and `{columns}` in the text stand for the job table of a kind
/// and the columns that its handler reads; see kind_info::bind.
struct query {
  std::string_view name;
  std::string_view text;

  /// For statements that name no job table.
  pg::statement statement() const { return {std::string{name}, std::string{text}}; }
};

}  // namespace rowrunner
