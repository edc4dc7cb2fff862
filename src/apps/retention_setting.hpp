#pragma once

#include <string>

namespace rowrunner {

/// How long jobs are kept, as people write it (90m, 12h, 7d, 4w, never), as PostgreSQL reads it ("7
/// days", "never"). Throws usage_error for anything else, for none at all and for over 100 years.
std::string parse_retention(const std::string& text);

}  // namespace rowrunner
