#pragma once

#include <string>

#include "common/http/message.hpp"
#include "common/http/url.hpp"

namespace rowrunner::http {

/// The request line and the header, up to the empty line. Throws error (bad_request) for anything
/// that would change the meaning of the request on its way, such as a line break in a value.
std::string request_head(const request& wanted, const url& where);

}  // namespace rowrunner::http
