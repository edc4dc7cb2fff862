#include "common/http/client.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "common/http/connection.hpp"
#include "common/http/pool.hpp"
#include "common/http/request_head.hpp"
#include "common/http/tls.hpp"
#include "common/http/url.hpp"

namespace rowrunner::http {
namespace {

using clock = std::chrono::steady_clock;

bool may_send_again(const std::string& method, const connection_closed& why) {
  static constexpr std::array<std::string_view, 5> repeatable{"GET", "HEAD", "PUT", "DELETE",
                                                              "OPTIONS"};
  return !why.request_sent ||
         std::find(repeatable.begin(), repeatable.end(), method) != repeatable.end();
}

bool is_redirect(const response& answer) {
  const int s = answer.status;
  return (s == 301 || s == 302 || s == 303 || s == 307 || s == 308) &&
         answer.headers.contains("Location");
}

// Turns `wanted` into the request that follows a redirect from `from`, and gives its address.
url follow(request& wanted, const url& from, const response& answer) {
  url to = resolve_reference(from, answer.headers.get("Location").value_or(""));
  if (from.server.tls && !to.server.tls) {
    throw error(error_kind::refused,
                from.server.text() + ": redirects from https to http, which is not followed");
  }
  const bool see_other = answer.status == 303 && wanted.method != "HEAD";
  const bool as_browsers_do =
      (answer.status == 301 || answer.status == 302) && wanted.method == "POST";
  if (see_other || as_browsers_do) {
    wanted.method = "GET";
    wanted.body.clear();
    wanted.source.reset();
    wanted.headers.erase("Content-Type");
    wanted.headers.erase("Content-Encoding");
  }
  if (to.server != from.server) wanted.headers = {};
  return to;
}

}  // namespace

struct client::core {
  core(asio::any_io_executor ex, client_options given)
      : executor(std::move(ex)),
        options(std::move(given)),
        idle(pool::limits{options.max_idle_per_server, options.max_idle, options.idle_timeout}),
        names(options.lookup) {}

  const asio::any_io_executor executor;
  const client_options options;
  pool idle;
  resolver names;
  /// Made when first needed, as reading the system's certificates takes a while.
  std::shared_ptr<asio::ssl::context> tls{};

  static asio::awaitable<response> run(std::shared_ptr<core> self, request wanted);
  static asio::awaitable<response> ask(std::shared_ptr<core> self, const request& wanted, url where,
                                       clock::time_point deadline);
  static asio::awaitable<response> converse(std::shared_ptr<core> self,
                                            std::unique_ptr<connection> on, const request& wanted,
                                            const std::string& head, clock::time_point deadline);
  static asio::awaitable<std::unique_ptr<connection>> connect(std::shared_ptr<core> self,
                                                              origin server,
                                                              clock::time_point deadline);
  /// Throws error (refused). Asked before a connection is used, kept ones included.
  void check(const origin& server) const;
  void check(const origin& server, const std::vector<asio::ip::address>& found) const;
};

void client::core::check(const origin& server) const {
  const auto why = options.policy ? options.policy->refusal(server) : std::nullopt;
  if (why) throw error(error_kind::refused, server.text() + ": " + *why);
}

void client::core::check(const origin& server, const std::vector<asio::ip::address>& found) const {
  const auto why = options.policy ? options.policy->refusal(server, found) : std::nullopt;
  if (why) throw error(error_kind::refused, server.text() + ": " + *why);
}

asio::awaitable<std::unique_ptr<connection>> client::core::connect(std::shared_ptr<core> self,
                                                                   origin server,
                                                                   clock::time_point deadline) {
  if (server.tls && !self->tls) self->tls = make_tls_context(self->options.ca_file);
  const auto until = std::min(clock::now() + self->options.connect_timeout, deadline);
  auto found = co_await self->names.resolve(self->executor, server, until);
  self->check(server, found);
  co_return co_await connection::open(self->executor, std::move(server), std::move(found),
                                      self->tls, until);
}

asio::awaitable<response> client::core::converse(std::shared_ptr<core> self,
                                                 std::unique_ptr<connection> on,
                                                 const request& wanted, const std::string& head,
                                                 clock::time_point deadline) {
  const connection::limits allowed{
      self->options.max_header, wanted.max_body, self->options.max_error_body,
      wanted.cut_body,          deadline,        wanted.stall_timeout};
  response answer = co_await on->exchange(head, wanted, allowed);
  self->idle.give(std::move(on), clock::now());
  co_return answer;
}

asio::awaitable<response> client::core::ask(std::shared_ptr<core> self, const request& wanted,
                                            url where, clock::time_point deadline) {
  self->check(where.server);
  const std::string head = request_head(wanted, where);
  auto kept = self->idle.take(where.server, clock::now());
  if (kept) {
    try {
      co_return co_await converse(self, std::move(kept), wanted, head, deadline);
    } catch (const connection_closed& why) {
      if (!may_send_again(wanted.method, why)) throw;
    }
  }
  auto fresh = co_await connect(self, where.server, deadline);
  co_return co_await converse(self, std::move(fresh), wanted, head, deadline);
}

asio::awaitable<response> client::core::run(std::shared_ptr<core> self, request wanted) {
  const auto deadline = clock::now() + wanted.timeout;
  url where = parse_url(wanted.url);
  for (int redirects = 0;; ++redirects) {
    response answer = co_await ask(self, wanted, where, deadline);
    if (wanted.follow_redirects <= 0 || !is_redirect(answer)) {
      answer.final_url = where.text();
      co_return answer;
    }
    if (redirects == wanted.follow_redirects) {
      throw error(error_kind::redirect,
                  where.server.text() + ": more than " + std::to_string(redirects) + " redirects");
    }
    where = follow(wanted, where, answer);
  }
}

client::client(asio::any_io_executor executor, client_options options)
    : core_(std::make_shared<core>(std::move(executor), std::move(options))) {}

client::~client() { close_idle(); }

asio::awaitable<response> client::send(request wanted) {
  return core::run(core_, std::move(wanted));
}

asio::any_io_executor client::get_executor() const { return core_->executor; }

std::size_t client::idle_connections() const noexcept { return core_->idle.size(); }

void client::close_idle() { core_->idle.clear(); }

}  // namespace rowrunner::http
