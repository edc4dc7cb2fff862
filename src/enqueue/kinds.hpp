#pragma once

#include <pqxx/pqxx>
#include <string_view>

#include "common/errors.hpp"

namespace rowrunner {

/// An error that names the kinds there are.
bad_input unknown_kind(pqxx::dbtransaction& tx, std::string_view kind);

}  // namespace rowrunner
