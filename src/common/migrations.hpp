#pragma once

#include <span>
#include <string_view>

namespace rowrunner {

/// One file of db/migrations, embedded at build time.
struct migration {
  int version;
  std::string_view name;
  std::string_view text;
};

/// Every migration of this binary, in order of version, without gaps.
std::span<const migration> all_migrations();

}  // namespace rowrunner
