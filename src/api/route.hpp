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
