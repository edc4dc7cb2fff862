#pragma once

#include <pqxx/pqxx>
#include <string_view>
#include <vector>

#include "common/errors.hpp"
#include "common/kind_info.hpp"

namespace rowrunner {

/// Every attached kind, by name.
std::vector<kind_info> read_kinds(pqxx::dbtransaction& tx);

/// An error that names the kinds there are.
bad_input unknown_kind(pqxx::dbtransaction& tx, std::string_view kind);

}  // namespace rowrunner
