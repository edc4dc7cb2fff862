#include "workloads/webhooks/deliverer.hpp"

#include "common/storable.hpp"
#include "queries/webhooks.hpp"
#include "workloads/webhooks/body.hpp"
#include "workloads/webhooks/enqueue.hpp"

namespace rowrunner::webhooks {

namespace asio = boost::asio;
using nlohmann::json;
using clock = endpoint_gate::clock;

namespace {

/// Calls of this process that can be on their way at the same time.
constexpr int most_calls = 500;

using step_body = std::function<asio::awaitable<json>()>;

/// The receiver's answer to the event is not somewhere else, so there is nothing to store.
struct answered_directly {};

/// One call to a receiver, from enter to leave.
class passage {
 public:
  passage(endpoint_gate& gate, endpoint to)
      : gate_(gate), to_(std::move(to)), entered_(clock::now()) {
    admitted_ = gate_.enter(to_, entered_);
  }
  ~passage() {
    if (admitted_) gate_.leave(to_, entered_, clock::now());
  }
  passage(const passage&) = delete;
  passage& operator=(const passage&) = delete;

  bool admitted() const { return admitted_; }

 private:
  endpoint_gate& gate_;
  const endpoint to_;
  const clock::time_point entered_;
  bool admitted_ = false;
};

std::string body_of(const job& self, const std::optional<std::string>& token) {
  const auto& member = self.column("token_member");
  if (!token || !member) return self.text("payload");
  return with_token(self.text("payload"), *member, *token);
}

}  // namespace

deliverer::deliverer(services& engine, http::guarded_client& outbound, settings chosen,
                     std::function<double()> random)
    : engine_(engine),
      outbound_(outbound),
      settings_(std::move(chosen)),
      random_(std::move(random)),
      gate_(settings_.calls_per_endpoint, settings_.calls_per_server) {}

asio::awaitable<outcome> deliverer::run(job& self) {
  std::optional<http::url> where;
  try {
    where = http::parse_url(self.text("url"));
  } catch (const http::error&) {
    co_return final_failure("the receiver's address is none");
  }
  const auto receiver = endpoint_of(*where);
  const passage mine(gate_, receiver);
  if (!mine.admitted()) {
    co_return snoozed{gate_.come_back_after(receiver, clock::now(), random_())};
  }
  auto token = co_await token_of(self);
  call one{*where, std::move(token), true, 0, clock::now() + settings_.timeout};
  const auto came = co_await deliver(self, one);
  co_return end_of(self, came, one.token);
}

asio::awaitable<std::optional<std::string>> deliverer::token_of(job& self) {
  if (!self.get<bool>("has_token")) co_return std::nullopt;
  const auto found =
      co_await engine_.idempotent_query(self, std::string(queries::webhook_token.text), self.id());
  if (found.rows.empty()) throw std::runtime_error("the token of this delivery is missing");
  co_return found.rows.front().at(0);
}

/// A receiver that has taken the event and says where its answer is does not get it a second time:
/// that is stored before the answer is asked for, and a later try only asks.
asio::awaitable<deliverer::result> deliverer::deliver(job& self, call& one) {
  result came;
  const step_body post = [&]() -> asio::awaitable<json> {
    came = co_await send(self, one);
    if (came.what.next != next_step::ask_there) throw answered_directly();
    json taken;
    taken["status"] = came.answer->status;
    taken["answer_at"] = came.what.where->text();
    taken["redirects"] = one.redirects + 1;
    co_return taken;
  };
  json taken;
  try {
    taken = co_await self.step("taken " + self.text("sends"), post);
  } catch (const answered_directly&) {
    co_return came;
  }
  one.where = http::parse_url(taken.at("answer_at").get<std::string>());
  one.posts = false;
  one.redirects = taken.value("redirects", 1);
  came = co_await send(self, one);
  if (came.what.next != next_step::done) {
    came.what.reason = "the event was taken (" + std::to_string(taken.at("status").get<int>()) +
                       "), but its answer is not good: " + came.what.reason;
  }
  co_return came;
}

/// Follows redirects that leave the method as it is.
asio::awaitable<deliverer::result> deliverer::send(job& self, call& one) {
  for (;;) {
    result came = co_await send_once(self, one);
    const bool moves = came.what.next == next_step::repeat ||
                       (came.what.next == next_step::ask_there && !one.posts);
    if (!moves) co_return came;
    one.where = *came.what.where;
    ++one.redirects;
  }
}

asio::awaitable<deliverer::result> deliverer::send_once(job& self, const call& one) {
  result out;
  try {
    http::request wanted = request_for(self, one);
    out.answer = co_await outbound_.send(std::move(wanted));
    out.what = judge(*out.answer, one.where, success_named(self.text("success_by")), one.redirects,
                     self.now());
  } catch (const http::error& failure) {
    out.what = judge(failure, clock::now() < one.deadline, settings_.timeout);
  }
  co_return out;
}

http::request deliverer::request_for(job& self, const call& one) const {
  http::request out(one.where.text(), one.posts ? "POST" : "GET");
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(one.deadline - clock::now());
  out.timeout = std::max(left, std::chrono::milliseconds(1));
  out.max_body = kept_of_answer;
  out.cut_body = true;
  if (!one.posts) return out;
  // The token is for the server that it was given for, in the header and in the body.
  const bool same_server = http::parse_url(self.text("url")).server == one.where.server;
  const auto token = same_server ? one.token : std::nullopt;
  out.body = body_of(self, token);
  out.headers.set("Content-Type", "application/json");
  if (token) out.headers.set("Authorization", "Bearer " + *token);
  const auto id = event_id(self.id());
  const auto timestamp = timestamp_text(self.now());
  out.headers.set("webhook-id", id);
  out.headers.set("webhook-timestamp", timestamp);
  if (!settings_.keys.empty()) {
    out.headers.set("webhook-signature", signature(settings_.keys, id, timestamp, out.body));
  }
  return out;
}

outcome deliverer::end_of(job& self, const result& came,
                          const std::optional<std::string>& token) const {
  std::optional<std::string> status, text;
  if (came.answer) {
    status = std::to_string(came.answer->status);
    text = storable(without_token(came.answer->body, token));
  }
  const bool delivered = came.what.next == next_step::done;
  std::vector<effect> noted{{std::string(queries::webhook_answered.text),
                             {self.id(), status, text, delivered ? "true" : "false"}}};
  if (delivered) return succeeded{std::move(noted)};
  failed out;
  out.error = without_token(came.what.reason, token);
  out.final = came.what.next == next_step::give_up;
  if (!out.final) {
    out.after = wait_after(settings_.schedule, self.attempt(), came.what.after, random_());
  }
  out.effects = std::move(noted);
  return out;
}

handler_entry delivery_handler() {
  kind_options options;
  options.kind = kind;
  options.max_concurrent = most_calls;
  options.columns = {"url", "payload", "has_token", "token_member", "success_by", "sends"};
  const auto make = [](workload_services& all) -> coroutine_handler {
    const auto engine = std::make_shared<std::mt19937_64>(std::random_device{}());
    const auto random = [engine] { return std::uniform_real_distribution<>(0, 1)(*engine); };
    const auto serve =
        std::make_shared<deliverer>(all.engine, all.outbound, settings_from(all.env), random);
    return [serve](job& self) { return serve->run(self); };
  };
  return {kind, std::move(options), make};
}

}  // namespace rowrunner::webhooks
