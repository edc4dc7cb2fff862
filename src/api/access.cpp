#include "api/access.hpp"

#include <algorithm>

namespace rowrunner::api {
namespace {

constexpr std::array<std::string_view, 4> names{"user", "viewer", "operator", "admin"};

}  // namespace

std::string_view name_of(role which) { return names[static_cast<std::size_t>(which)]; }

std::optional<role> role_named(std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<role>(found - names.begin());
}

bool allows(access needed, role has) {
  switch (needed) {
    case access::anyone:
    case access::signed_in:
      return true;
    case access::change_own:
      return has != role::viewer;
    case access::read_all:
      return has != role::user;
    case access::change_all:
      return has == role::operator_ || has == role::admin;
    case access::administer:
      return has == role::admin;
  }
  return false;
}

}  // namespace rowrunner::api
