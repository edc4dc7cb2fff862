#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "common/pg/statement.hpp"

namespace rowrunner::pg {

/// Arrays in binary format, fit to be a parameter such as $1::uuid[]. For the long lists of a busy
/// worker: reading a uuid as text costs the server more than finding its row's page. Throws
/// std::invalid_argument if an item is not a uuid.
param uuid_array(const std::vector<std::string_view>& items);
param int_array(const std::vector<std::int64_t>& items);

}  // namespace rowrunner::pg
