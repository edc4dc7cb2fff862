#pragma once

#include <optional>
#include <string>

#include "admin/transaction.hpp"

namespace rowrunner::admin {

/// How long jobs are kept, as people write it (90m, 12h, 7d, 4w, never), as PostgreSQL reads it ("7
/// days", "never"). Throws error{bad_argument} for anything else, for none at all and for over 100
/// years.
std::string parse_retention(const std::string& text);

/// How long a kind keeps succeeded jobs, and failed and cancelled ones; nothing: for ever.
struct kind_retention {
  std::optional<std::string> retention;
  std::optional<std::string> failed_retention;
};

/// Sets what is given, as parse_retention writes it, and answers both as they are now. Throws
/// error{unknown_kind}.
asio::awaitable<kind_retention> set_retention(pg::session& session, std::string kind,
                                              kind_retention wanted);

}  // namespace rowrunner::admin
