#include <spdlog/spdlog.h>
#include <sys/socket.h>

#include <optional>
#include <string>
#include <utility>

#include "common/pg/connection.hpp"

namespace rowrunner::pg {

// libpq takes the last value of a keyword, so what stands before the URL is only a default. The
// keepalives and tcp_user_timeout find a server that vanished without closing its sockets within
// about ten seconds, which is much sooner than the kernel's own defaults.
void connection::start(const endpoint& target) {
  const char* const keywords[] = {"application_name",
                                  "client_encoding",
                                  "keepalives",
                                  "keepalives_idle",
                                  "keepalives_interval",
                                  "keepalives_count",
                                  "tcp_user_timeout",
                                  "dbname",
                                  target.reduced ? "host" : nullptr,
                                  "port",
                                  nullptr};
  const char* const values[] = {options_.application_name.c_str(),
                                "UTF8",
                                "1",
                                "5",
                                "2",
                                "3",
                                "10000",
                                options_.url.c_str(),
                                target.host.c_str(),
                                target.port.c_str(),
                                nullptr};
  raw_ = PQconnectStartParams(keywords, values, 1);
  if (PQstatus(raw_) == CONNECTION_BAD) throw explain_failure(target, PQerrorMessage(raw_));
  PQsetNoticeReceiver(
      raw_,
      [](void* self, const PGresult* raw) {
        const char* text = PQresultErrorMessage(raw);
        spdlog::debug("postgres: {}", text);
        static_cast<connection*>(self)->hear(raw);
      },
      this);
}

// libpq's connect_timeout does not work without blocking, and libpq offers no way to give up on one
// host address and go to the next. Shutting the socket down does it: libpq then sees a failed
// attempt. Without this, a dead first host of a URL would hide the living second one. If the host
// had accepted the connection, libpq does not go on: then the answer is what is left to try.
asio::awaitable<std::optional<endpoint>> connection::handshake(const endpoint& target) {
  auto wanted = PGRES_POLLING_WRITING;
  auto deadline = clock::now() + options_.connect_timeout;
  std::optional<std::pair<std::string, std::string>> late;
  while (wanted != PGRES_POLLING_OK) {
    const readiness::interest interest{.read = wanted == PGRES_POLLING_READING,
                                       .write = wanted == PGRES_POLLING_WRITING};
    ready_->watch(PQsocket(raw_));
    while (!ready_->saw(interest) && clock::now() < deadline) {
      co_await ready_->wait(interest, deadline, readiness::cancellation::honoured);
    }
    if (!ready_->saw(interest)) {
      late.emplace(PQhost(raw_), PQport(raw_));
      deadline = clock::now() + options_.connect_timeout;
      ::shutdown(PQsocket(raw_), SHUT_RDWR);
    }
    // Before the poll, which may close the socket and open another one with the same number.
    ready_->unwatch();
    wanted = PQconnectPoll(raw_);
    if (wanted == PGRES_POLLING_FAILED) {
      std::string reason = PQerrorMessage(raw_);
      if (late) {
        const bool stopped_there =
            *late == std::pair<std::string, std::string>(PQhost(raw_), PQport(raw_));
        if (stopped_there) {
          if (auto others = target.without(late->first, late->second)) co_return others;
        }
        // For a single host libpq only reports our own shutdown; with several, the other hosts too.
        const bool several = target.host.find(',') != std::string::npos;
        const std::string others = several ? " from one of the hosts: " + reason : "";
        reason = "no answer within " + std::to_string(options_.connect_timeout.count()) + " ms";
        reason += others;
      }
      throw explain_failure(target, reason);
    }
  }
  co_return std::nullopt;
}

asio::awaitable<std::unique_ptr<connection>> connection::open(asio::any_io_executor executor,
                                                              settings options) {
  std::unique_ptr<connection> fresh;
  endpoint target = parse_endpoint(options.url);
  for (std::optional<endpoint> next = target; next;) {
    target = *next;
    fresh.reset(new connection(executor, options));
    fresh->start(target);
    next = co_await fresh->handshake(target);
  }
  if (PQsetnonblocking(fresh->raw_, 1) != 0 || PQenterPipelineMode(fresh->raw_) != 1) {
    throw explain_failure(target, PQerrorMessage(fresh->raw_));
  }
  fresh->ready_->watch(PQsocket(fresh->raw_));
  if (fresh->needs_settings() && !fresh->options_.pooled) {
    std::vector<call> nothing_else;
    co_await fresh->run(std::move(nothing_else));
    fresh->has_settings_ = true;
  }
  co_return fresh;
}

}  // namespace rowrunner::pg
