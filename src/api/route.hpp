#pragma once

#include <boost/asio/awaitable.hpp>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "api/message.hpp"
#include "api/target.hpp"

namespace rowrunner::api {

namespace asio = boost::asio;

struct services;

using handler = std::function<asio::awaitable<answer>(services&, const request&)>;
/// Throws request_error if the caller may not go on.
using caller_check = std::function<asio::awaitable<void>(services&, const request&)>;

/// For the description of the API.
struct query_parameter {
  std::string_view name;
  std::string_view type;
  std::string_view meaning;
};

struct route {
  http::verb method;
  /// "/api/jobs/{kind}/{id}"
  std::string_view path;
  access who;
  handler run;
  /// For the description of the API.
  std::string_view summary;

  /// A proof of its own that the caller must have, before the body is read.
  caller_check check{};
  std::size_t body_bytes = 0;
  /// The handler reads the body itself, from request::stream. Its length must be told beforehand.
  bool streams_body = false;
  /// For the description of the API.
  std::string_view body_type = "application/json";
  /// Calls of one user in one clock hour, over all servers; 0: any number.
  int hourly_limit = 0;
  /// Also takes a one-use ticket in its query, for clients that cannot send a header.
  bool takes_ticket = false;
  /// Is served when all connections are taken.
  bool always = false;
  /// Has something to answer while the database is away.
  bool without_database = false;
  /// Errors are {"detail": …} there.
  bool detail_errors = false;
  /// Says what is wrong with a caller, before the body is read: instead of `who`, for routes whose
  /// document has a proof of its own.
  std::function<std::optional<problem>(const request&)> check_caller{};
  /// Error answers in the words of a document.
  answer (*refuse)(const problem& why) = nullptr;
  /// Upgrades to a WebSocket. A caller who may not use it is told so there, by the close code.
  bool websocket = false;
  /// What may stand in the query.
  std::vector<query_parameter> query{};
  /// What a good answer is.
  std::string_view media = "application/json";
  /// An example of the body of a request.
  std::string_view body_example{};
};

struct matched_route {
  const route* found = nullptr;
  text_map params{};
  /// What to put into Allow if the path is known and the method is not.
  std::string allow{};
};

/// A route for GET also serves HEAD.
matched_route find_route(std::span<const route> routes, http::verb method, const target& where);

}  // namespace rowrunner::api
