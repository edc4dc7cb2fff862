#include "common/http/google_auth.hpp"

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/cancellation_state.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>
#include <cstdint>
#include <exception>
#include <nlohmann/json.hpp>
#include <utility>

#include "common/foreign_json.hpp"
#include "common/http/url.hpp"
#include "common/text.hpp"

namespace rowrunner::http {
namespace {

constexpr std::chrono::seconds renewed_before{60};
constexpr std::chrono::milliseconds patience{20'000};
constexpr std::size_t largest_answer = 64 * 1024;
constexpr double longest_lifetime = 24 * 3600;

request to_token_endpoint(const service_account& account, const std::string& scope,
                          google_auth::clock::time_point now) {
  request out(account.token_uri, "POST");
  out.headers.add("Content-Type", "application/x-www-form-urlencoded");
  out.body = "grant_type=" + percent_encode("urn:ietf:params:oauth:grant-type:jwt-bearer") +
             "&assertion=" + signed_assertion(account, scope, now);
  return out;
}

request to_metadata_server(const metadata_server& server) {
  request out(server.base_url + "/computeMetadata/v1/instance/service-accounts/default/token");
  out.headers.add("Metadata-Flavor", "Google");
  return out;
}

// Most often the machine is simply not one of Google's.
auth_error no_metadata_server(const error& why) {
  return {
      std::string("no credentials for Google: GOOGLE_APPLICATION_CREDENTIALS is not set, and the "
                  "metadata server gives none (") +
          why.what() + ")",
      is_temporary(why.kind())};
}

auth_error refusal(const response& answer) {
  const auto body = foreign_json_or_null(answer.body);
  std::string why = text_member(body, "error");
  if (const auto more = text_member(body, "error_description"); !more.empty()) why += ": " + more;
  std::string what = "Google gave no access token: HTTP " + std::to_string(answer.status);
  if (!why.empty()) what += " (" + printable(why, 300) + ")";
  std::replace_if(
      what.begin(), what.end(), [](unsigned char c) { return c < 0x20; }, ' ');
  const bool temporary = answer.status >= 500 || answer.status == 429 || answer.status == 408;
  return {what, temporary, retry_after(answer)};
}

}  // namespace

struct google_auth::core {
  core(client& via, google_credentials given, std::string wanted, now_function time)
      : http(via),
        credentials(std::move(given)),
        scope(std::move(wanted)),
        now(std::move(time)),
        bell(via.get_executor(), asio::steady_timer::time_point::max()) {}

  client& http;
  const google_credentials credentials;
  const std::string scope;
  const now_function now;

  std::string value{};
  clock::time_point good_until{};
  /// Counts the requests for a token; while `asking`, the last of them is on its way.
  std::uint64_t number = 0;
  bool asking = false;
  std::uint64_t failed_number = 0;
  std::exception_ptr failure{};
  /// Wakes all who wait for the one who asks.
  asio::steady_timer bell;

  bool fresh() const { return !value.empty() && now() < good_until; }
  void accept(const response& answer);
  /// Tells the others as well.
  [[noreturn]] void fail(std::exception_ptr why);

  /// The request that is on its way. However it ends, also by the destruction of its coroutine, the
  /// others go on; after a cancellation one of them asks anew.
  struct turn {
    explicit turn(core& in) : owner(in) {
      owner.asking = true;
      ++owner.number;
    }
    ~turn() {
      owner.asking = false;
      owner.bell.cancel();
    }
    turn(const turn&) = delete;
    turn& operator=(const turn&) = delete;
    core& owner;
  };

  static asio::awaitable<std::string> get(std::shared_ptr<core> self);
  static asio::awaitable<void> ask(std::shared_ptr<core> self);
  static asio::awaitable<void> wait(std::shared_ptr<core> self);
};

void google_auth::core::accept(const response& answer) {
  if (answer.status != 200) throw refusal(answer);
  const auto body = foreign_json_or_null(answer.body);
  const auto token = body.is_object() ? body.find("access_token") : body.end();
  const auto lifetime = body.is_object() ? body.find("expires_in") : body.end();
  if (token == body.end() || !token->is_string() || lifetime == body.end() ||
      !lifetime->is_number()) {
    throw auth_error("Google's answer holds no access token", true);
  }
  value = "Bearer " + token->get<std::string>();
  // Clamped as a floating point number: 1e300 fits into no integer.
  const double seconds = std::clamp(lifetime->get<double>(), 0.0, longest_lifetime);
  good_until = now() + std::chrono::seconds(static_cast<std::int64_t>(seconds)) - renewed_before;
}

void google_auth::core::fail(std::exception_ptr why) {
  failed_number = number;
  failure = why;
  std::rethrow_exception(why);
}

asio::awaitable<void> google_auth::core::ask(std::shared_ptr<core> self) {
  const turn mine(*self);
  try {
    const auto* account = std::get_if<service_account>(&self->credentials);
    request wanted = account != nullptr
                         ? to_token_endpoint(*account, self->scope, self->now())
                         : to_metadata_server(std::get<metadata_server>(self->credentials));
    wanted.timeout = patience;
    wanted.max_body = largest_answer;
    const response answer = co_await self->http.send(std::move(wanted));
    self->accept(answer);
  } catch (const boost::system::system_error&) {
    throw;  // a cancellation is not the others' failure
  } catch (const error& why) {
    const bool of_account = std::holds_alternative<service_account>(self->credentials);
    self->fail(of_account ? std::current_exception()
                          : std::make_exception_ptr(no_metadata_server(why)));
  } catch (const std::exception&) {
    self->fail(std::current_exception());
  }
}

asio::awaitable<void> google_auth::core::wait(std::shared_ptr<core> self) {
  const auto awaited = self->number;
  co_await self->bell.async_wait(asio::as_tuple(asio::use_awaitable));
  const auto state = co_await asio::this_coro::cancellation_state;
  if (state.cancelled() != asio::cancellation_type::none) {
    throw boost::system::system_error(asio::error::operation_aborted);
  }
  if (self->failed_number == awaited) std::rethrow_exception(self->failure);
}

asio::awaitable<std::string> google_auth::core::get(std::shared_ptr<core> self) {
  if (std::holds_alternative<no_credentials>(self->credentials)) co_return std::string();
  while (self->asking && !self->fresh()) co_await wait(self);
  if (!self->fresh()) co_await ask(self);
  co_return self->value;
}

google_auth::google_auth(client& http, google_credentials credentials, std::string scope,
                         now_function now)
    : core_(
          std::make_shared<core>(http, std::move(credentials), std::move(scope), std::move(now))) {}

google_auth::~google_auth() = default;

asio::awaitable<std::string> google_auth::authorization() { return core::get(core_); }

void google_auth::refused(const std::string& authorization) {
  if (core_->value == authorization) core_->value.clear();
}

}  // namespace rowrunner::http
