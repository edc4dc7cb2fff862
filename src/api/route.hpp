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

  std::size_t body_bytes = 0;
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
  /// Upgrades to a WebSocket. A caller who may not use it is told so there, by the close code.
  bool websocket = false;
  /// What may stand in the query.
  std::vector<query_parameter> query{};
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
