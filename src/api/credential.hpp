#pragma once

#include <optional>
#include <string_view>

#include "api/message.hpp"
#include "api/secret.hpp"

namespace rowrunner::api {

inline constexpr std::string_view session_cookie = "rowrunner_session";

/// What a request offers as proof of who asks.
struct credential {
  enum class kind { none, malformed, bearer, cookie, ticket };

  kind type = kind::none;
  secret_key key{};
};

/// A bearer token counts before a ticket, a ticket before a cookie.
credential credential_of(const request& asked, bool takes_ticket);

/// Whether a browser says that a page of this server asks, by Sec-Fetch-Site or Origin.
enum class origin { same, other, unknown };
origin origin_of(const request_head& head);

/// GET, HEAD and OPTIONS change nothing.
bool is_safe(http::verb method);

/// Whether the request was made to this machine under a name of this machine, and not passed on by
/// a proxy: a page that a browser got under a foreign name (DNS rebinding) does not count.
bool asks_this_machine(const request_head& head);

}  // namespace rowrunner::api
