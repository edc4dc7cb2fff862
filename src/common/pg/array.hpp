#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rowrunner::pg {

/// One-dimensional array literals in text format, fit to be a parameter such as $1::text[].
std::string array(const std::vector<std::string>& items);
std::string array(const std::vector<std::optional<std::string>>& items);
std::string array(const std::vector<std::int64_t>& items);
std::string array(const std::vector<bool>& items);
std::string array(const std::vector<double>& items);

/// The numbers of an array that the server has answered in text format; none of an empty text, as
/// NULL is read. Throws pg::error if it is something else.
std::vector<std::int64_t> read_int_array(std::string_view text);

}  // namespace rowrunner::pg
