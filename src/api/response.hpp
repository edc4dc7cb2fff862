#pragma once

#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/string_body.hpp>
#include <chrono>
#include <string>

#include "api/message.hpp"

namespace rowrunner::api {

/// The answer with the fields that every answer has: request id, date, what browsers may do with
/// it, and whether the connection stays open.
http::response<http::string_body> to_response(const request& asked, answer out, bool keep_alive);

/// The head of an answer whose body is a stream.
http::response<http::empty_body> to_stream_head(const request& asked, const answer& out,
                                                bool keep_alive);

/// "Sun, 06 Nov 1994 08:49:37 GMT", whatever the locale.
std::string http_date(std::chrono::system_clock::time_point when);

}  // namespace rowrunner::api
