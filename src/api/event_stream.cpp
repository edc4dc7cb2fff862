#include "api/event_stream.hpp"

#include <array>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <charconv>

#include "api/job_json.hpp"
#include "api/message.hpp"
#include "api/services.hpp"
#include "common/text.hpp"

namespace rowrunner::api {
namespace {

constexpr auto tuple = asio::as_tuple(asio::use_awaitable);
constexpr std::size_t most_jobs = 200;
/// Proxies close connections that are silent for a minute or less.
constexpr std::chrono::seconds comment_every{15};
constexpr std::chrono::seconds overview_every{2};

constexpr std::string_view head =
    "HTTP/1.1 200 OK\r\n"
    "Content-Type: text/event-stream\r\n"
    "Cache-Control: no-store\r\n"
    "X-Content-Type-Options: nosniff\r\n"
    "X-Accel-Buffering: no\r\n"
    "Connection: close\r\n\r\n";

problem bad_jobs(const std::string& why) { return {400, "bad_parameter", "jobs: " + why}; }

void add_kind(std::string_view part, std::vector<job_key>& out) {
  const auto colon = part.find(':');
  if (colon == std::string_view::npos || colon == 0) {
    throw request_error(bad_jobs("must be KIND:ID,ID;KIND:ID"));
  }
  const std::string kind(part.substr(0, colon));
  auto rest = part.substr(colon + 1);
  for (;;) {
    const auto comma = rest.find(',');
    const auto id = rest.substr(0, comma);
    if (!is_uuid(id)) throw request_error(bad_jobs("an id is no uuid"));
    out.push_back({kind, lower_case(std::string(id))});
    if (out.size() > most_jobs) {
      throw request_error(bad_jobs("at most " + std::to_string(most_jobs) + " jobs"));
    }
    if (comma == std::string_view::npos) return;
    rest.remove_prefix(comma + 1);
  }
}

std::string event_text(std::string_view name, const std::string& id,
                       const nlohmann::ordered_json& data) {
  constexpr auto lossy = nlohmann::json::error_handler_t::replace;
  std::string out = id;
  out.append("event: ").append(name).append("\ndata: ");
  return out.append(data.dump(-1, ' ', false, lossy)).append("\n\n");
}

}  // namespace

std::vector<job_key> parse_jobs(const std::string& text) {
  std::vector<job_key> out;
  std::string_view rest = text;
  while (!rest.empty()) {
    const auto end = std::min(rest.find(';'), rest.size());
    add_kind(rest.substr(0, end), out);
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return out;
}

std::optional<std::uint64_t> change_of(const std::string& epoch, const std::string& last_id) {
  if (!last_id.starts_with(epoch + "-")) return std::nullopt;
  std::uint64_t number = 0;
  const char* end = last_id.data() + last_id.size();
  const auto [stopped, error] = std::from_chars(last_id.data() + epoch.size() + 1, end, number);
  if (error != std::errc() || stopped != end) return std::nullopt;
  return number;
}

event_stream::event_stream(services& with, event_wishes wishes)
    : with_(with), wishes_(std::move(wishes)) {}

void event_stream::stop() {
  over_ = true;
  if (viewer_) viewer_->woken.set();
}

void event_stream::cut() {
  stop();
  if (stream_) stream_->close();
}

std::string event_stream::id_line(std::uint64_t number) const {
  return "id: " + with_.live.epoch() + "-" + std::to_string(number) + "\n";
}

void event_stream::begin() {
  std::optional<std::uint64_t> known;
  if (wishes_.last_id) {
    known = change_of(with_.live.epoch(), *wishes_.last_id);
    // Another server, or this one before it was started again, has sent events that this one does
    // not know.
    resync_ = !known || *known > with_.live.newest_change();
  }
  viewer_.emplace(with_.live, wishes_.jobs, resync_ ? 0 : known.value_or(0));
}

/// A client sends nothing: what is read is the end of the connection.
asio::awaitable<void> event_stream::read_until_gone(std::shared_ptr<event_stream> self) {
  std::array<char, 512> ignored{};
  for (;;) {
    const auto [error, count] =
        co_await self->stream_->async_read_some(asio::buffer(ignored), tuple);
    if (error) break;
  }
  self->stop();
}

asio::awaitable<bool> event_stream::send(std::string text) {
  stream_->expires_after(with_.limits.write_time);
  const auto [error, count] = co_await asio::async_write(*stream_, asio::buffer(text), tuple);
  last_sent_ = clock::now();
  co_return !error;
}

asio::awaitable<std::string> event_stream::overview_news() {
  if (!wishes_.overview || clock::now() - overview_at_ < overview_every) co_return "";
  overview_at_ = clock::now();
  std::shared_ptr<const overview> newest;
  try {
    newest = co_await with_.overview.get(with_);
  } catch (const std::exception&) {
    // The board has logged it; the client keeps what it has.
  }
  if (!newest) co_return "";
  auto compared = newest->json;
  compared.erase("as_of");
  if (compared == overview_) co_return "";
  overview_ = std::move(compared);
  co_return event_text("overview", id_line(with_.live.newest_change()), newest->json);
}

asio::awaitable<std::string> event_stream::news() {
  std::string out;
  if (resync_) {
    out =
        event_text("resync", id_line(with_.live.newest_change()), nlohmann::ordered_json::object());
  }
  resync_ = false;
  for (const auto& change : viewer_->take()) {
    out += event_text("job", id_line(change.number), event_json(*change.newest));
  }
  out += co_await overview_news();
  if (out.empty() && clock::now() - last_sent_ >= comment_every) out = ": still here\n\n";
  co_return out;
}

asio::awaitable<void> event_stream::talk() {
  const auto pause = wishes_.overview ? std::chrono::seconds(overview_every) : comment_every;
  bool fine = co_await send(std::string(head));
  while (fine && !over_) {
    auto text = co_await news();
    if (!text.empty()) fine = co_await send(std::move(text));
    if (fine && !over_) co_await viewer_->woken.wait_for(pause);
  }
}

asio::awaitable<void> event_stream::run(boost::beast::tcp_stream stream) {
  stream_.emplace(std::move(stream));
  stream_->expires_never();
  begin();
  asio::co_spawn(stream_->get_executor(), read_until_gone(shared_from_this()), asio::detached);
  co_await talk();
  viewer_.reset();
  stream_->close();
}

}  // namespace rowrunner::api
