#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rowrunner::api {

/// What a token makes of its user.
enum class role {
  user,       ///< own jobs
  viewer,     ///< reads all, changes nothing
  operator_,  ///< reads and changes all
  admin,      ///< all
};

inline constexpr std::array all_roles{role::user, role::viewer, role::operator_, role::admin};

std::string_view name_of(role which);
std::optional<role> role_named(std::string_view name);

/// Who may call a route. Routes about one user's own jobs also compare the user.
enum class access {
  anyone,      ///< without a token
  signed_in,   ///< every role
  change_own,  ///< every role but viewer
  read_all,    ///< every role but user
  change_all,  ///< operator and admin
  administer,  ///< admin
};

bool allows(access needed, role has);

/// Who asks, and by what it was proven.
struct identity {
  enum class proof { none, bearer, cookie, ticket, local };

  proof by = proof::none;
  std::string user{};
  role as = role::user;
  /// The token, and the session of a cookie.
  std::int64_t token = 0;
  std::int64_t session = 0;
};

}  // namespace rowrunner::api
