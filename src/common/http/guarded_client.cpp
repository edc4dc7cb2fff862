#include "common/http/guarded_client.hpp"

#include <utility>

namespace rowrunner::http {
namespace {

client_options with(client_options options, address_policy policy) {
  options.policy = std::move(policy);
  return options;
}

error coarse(error_kind kind) {
  switch (kind) {
    case error_kind::bad_url:
    case error_kind::bad_request:
    case error_kind::refused:
      return {error_kind::refused, "address refused"};
    case error_kind::too_large:
      return {error_kind::too_large, "the answer is too large"};
    default:
      return {error_kind::no_answer, "no answer"};
  }
}

}  // namespace

guarded_client::guarded_client(asio::any_io_executor executor, address_policy policy, event_log log,
                               client_options options)
    : log_(std::move(log)),
      client_(std::move(executor), with(std::move(options), std::move(policy))) {}

asio::awaitable<response> guarded_client::send(request wanted) {
  try {
    co_return co_await client_.send(std::move(wanted));
  } catch (const error& why) {
    const error told = coarse(why.kind());
    log_.warn("an outbound request failed", {{"told", told.what()}, {"reason", why.what()}});
    throw told;
  }
}

}  // namespace rowrunner::http
