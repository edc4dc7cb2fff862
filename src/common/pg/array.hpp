#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rowrunner::pg {

/// One-dimensional array literals in text format, fit to be a parameter such as $1::text[].
std::string array(const std::vector<std::string>& items);
std::string array(const std::vector<std::optional<std::string>>& items);
std::string array(const std::vector<std::int64_t>& items);
std::string array(const std::vector<bool>& items);
std::string array(const std::vector<double>& items);

}  // namespace rowrunner::pg
