#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/conversation.hpp"
#include "api/job_watch.hpp"

namespace rowrunner::api {

struct services;

struct event_wishes {
  std::vector<job_key> jobs;
  bool overview = false;
  /// The header Last-Event-ID.
  std::optional<std::string> last_id;
};

/// "spot_image:ID,ID;letter:ID". Throws request_error.
std::vector<job_key> parse_jobs(const std::string& text);

/// The number of a change in "EPOCH-N"; nothing if it is one of another server.
std::optional<std::uint64_t> change_of(const std::string& epoch, const std::string& last_id);

/// Server-sent events: the states of some jobs and the overview, first as they are and then
/// whenever they change.
class event_stream : public conversation, public std::enable_shared_from_this<event_stream> {
 public:
  event_stream(services& with, event_wishes wishes);

  boost::asio::awaitable<void> run(boost::beast::tcp_stream stream) override;
  void stop() override;
  void cut() override;

 private:
  using clock = std::chrono::steady_clock;

  static boost::asio::awaitable<void> read_until_gone(std::shared_ptr<event_stream> self);
  boost::asio::awaitable<bool> send(std::string text);
  boost::asio::awaitable<void> talk();
  boost::asio::awaitable<std::string> news();
  boost::asio::awaitable<std::string> overview_news();
  void begin();
  std::string id_line(std::uint64_t number) const;

  services& with_;
  const event_wishes wishes_;
  std::optional<boost::beast::tcp_stream> stream_;
  std::optional<job_watch::viewer> viewer_;
  bool resync_ = false;
  bool over_ = false;
  clock::time_point last_sent_{};
  clock::time_point overview_at_{};
  nlohmann::ordered_json overview_;
};

}  // namespace rowrunner::api
