#pragma once

#include <pqxx/pqxx>
#include <string_view>
#include <vector>

#include "common/errors.hpp"
#include "common/schema/kind_info.hpp"

namespace rowrunner {

enum class dropped_tables { left_out, included };

/// Every attached kind, by name; of one whose table was dropped, `table` is empty.
std::vector<kind_info> read_kinds(pqxx::dbtransaction& tx,
                                  dropped_tables wanted = dropped_tables::left_out);

/// An error that names the kinds there are.
bad_input unknown_kind(pqxx::dbtransaction& tx, std::string_view kind);

}  // namespace rowrunner
