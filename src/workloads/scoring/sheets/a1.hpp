#pragma once

#include <string>
#include <string_view>

namespace rowrunner::scoring {

/// The name of a column from 0 on: A … Z, AA …
std::string column_name(int index);

/// "'Tab'!B5:D9", from rows and columns counted from 0. A tab's ' is doubled.
std::string a1_range(std::string_view tab, int first_row, int first_column, int last_row,
                     int last_column);

}  // namespace rowrunner::scoring
