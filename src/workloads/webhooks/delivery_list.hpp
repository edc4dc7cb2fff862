#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "common/pg/session.hpp"

namespace rowrunner::webhooks {

/// A delivery as lists show it. No token is among what they read.
struct listed_delivery {
  std::string id;
  std::string url;
  std::string event;
  std::optional<std::string> source;
  std::string status;
  int attempts = 0;
  int max_attempts = 0;
  std::optional<std::string> error;
  std::optional<int> answer_status;
  std::string created_at;
  /// When it failed, or runs again.
  std::optional<std::string> at;
};

struct delivery_filter {
  std::optional<std::string> url{};
  std::optional<std::string> source{};
  int limit = 50;
  /// Of a list of failures: after the failure of this time and id.
  std::optional<std::string> after_time{};
  std::optional<std::string> after_id{};
};

/// Those that were given up, the latest first.
boost::asio::awaitable<std::vector<listed_delivery>> failed_deliveries(pg::session& session,
                                                                       delivery_filter filter);
/// Those that have failed and will be tried again, the next one first.
boost::asio::awaitable<std::vector<listed_delivery>> retrying_deliveries(pg::session& session,
                                                                         delivery_filter filter);
/// Those about `source` in the order in which they were enqueued, after the one with the id
/// `after`.
boost::asio::awaitable<std::vector<listed_delivery>> deliveries_of(pg::session& session,
                                                                   std::string source,
                                                                   std::optional<std::string> after,
                                                                   int limit);

struct shown_delivery {
  listed_delivery head;
  /// What is sent, without the token.
  std::string payload;
  bool has_token = false;
  std::string success_by;
  std::optional<std::string> answer;
  std::optional<std::string> answered_at;
};

boost::asio::awaitable<std::optional<shown_delivery>> find_delivery(pg::session& session,
                                                                    std::string id);

/// Sends an event once more, under the same id. Throws admin::error (no_such_job, wrong_status).
boost::asio::awaitable<bool> send_again(pg::session& session, std::string id);

/// The same for up to filter.limit that were given up, the oldest first; says how many.
boost::asio::awaitable<std::int64_t> send_failed_again(pg::session& session,
                                                       delivery_filter filter);

nlohmann::ordered_json to_json(const listed_delivery& each);
nlohmann::ordered_json to_json(const shown_delivery& each);

}  // namespace rowrunner::webhooks
