#include "workloads/limits/shared_plan.hpp"

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>
#include <random>

#include "common/text.hpp"
#include "common/uuid.hpp"
#include "workloads/limits/quotas.hpp"

namespace rowrunner::limits {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using std::chrono::steady_clock;

namespace {

instant local_now() {
  return std::chrono::duration_cast<instant>(steady_clock::now().time_since_epoch());
}

double own_phase() {
  std::random_device seed;
  return std::uniform_real_distribution<double>(0, 1)(seed);
}

}  // namespace

/// A waiter in the queue of a key, removed when the coroutine ends in any way.
class shared_plan::queued {
 public:
  queued(std::shared_ptr<shared_plan> plan, entry& at, waiter& who)
      : plan_(std::move(plan)), at_(at), who_(who) {
    at_.waiting.push_back(&who_);
    at_.door.set_waiting(static_cast<int>(at_.waiting.size()));
  }
  ~queued() {
    at_.waiting.remove(&who_);
    at_.door.set_waiting(static_cast<int>(at_.waiting.size()));
  }
  queued(const queued&) = delete;
  queued& operator=(const queued&) = delete;

 private:
  std::shared_ptr<shared_plan> plan_;
  entry& at_;
  waiter& who_;
};

shared_plan::shared_plan(const services& engine, environment env,
                         std::chrono::milliseconds idle_after)
    : engine_(engine),
      env_(std::move(env)),
      replica_(uuid_maker{}.next()),
      idle_after_(idle_after),
      schedule_(own_phase()),
      changed_(engine_.executor()) {}

instant shared_plan::now() const { return clock_.at(local_now()); }

std::shared_ptr<shared_plan::entry> shared_plan::entry_of(const std::string& key) {
  const auto found = keys_.find(key);
  if (found != keys_.end()) return found->second;
  if (key.empty() || key.size() > 200) {
    throw std::invalid_argument("the key of a limit has from 1 to 200 bytes");
  }
  check_text("the key of a limit", key);
  forget_idle();
  auto made = std::make_shared<entry>(engine_.executor(), replica_, quota_of(key, env_));
  made->counted.key = key;
  keys_.emplace(key, made);
  return made;
}

/// Those that no plan has and no call uses: a program may make keys without end.
void shared_plan::forget_idle() {
  std::erase_if(keys_, [](const auto& each) {
    const auto& at = *each.second;
    return !at.active && at.waiting.empty() && at.door.in_flight() == 0 &&
           !at.door.block_to_store();
  });
}

asio::awaitable<std::int64_t> shared_plan::ticket(std::shared_ptr<shared_plan> self,
                                                  std::string key, std::int64_t tokens) {
  const auto found = self->entry_of(key);
  auto& at = *found;
  if (at.waiting.empty() && self->clock_.known() && at.active) {
    if (const auto taken = at.door.take(self->now(), tokens)) {
      ++at.counted.permits;
      co_return *taken;
    }
  }
  waiter who(self->engine_.executor(), tokens);
  {
    const queued in_queue(self, at, who);
    at.active = true;
    self->start();
    self->pump(found);
    if (!who.ticket && !who.failure) {
      co_await who.signal.async_wait(asio::as_tuple(asio::use_awaitable));
    }
  }
  at.counted.waited_seconds +=
      std::chrono::duration<double>(steady_clock::now() - who.since).count();
  if (who.failure) std::rethrow_exception(who.failure);
  if (!who.ticket) throw boost::system::system_error(asio::error::operation_aborted);
  ++at.counted.permits;
  co_return *who.ticket;
}

/// Gives those that wait what there is now, in order, and comes back when there may be more.
void shared_plan::pump(const std::shared_ptr<entry>& key) {
  auto& at = *key;
  if (!clock_.known()) return;
  const auto time = now();
  while (!at.waiting.empty()) {
    auto& first = *at.waiting.front();
    const auto taken = at.door.take(time, first.tokens);
    if (!taken) break;
    first.ticket = taken;
    at.waiting.pop_front();
    at.door.set_waiting(static_cast<int>(at.waiting.size()));
    first.signal.cancel();
  }
  if (!at.waiting.empty()) rearm(key);
}

void shared_plan::rearm(const std::shared_ptr<entry>& key) {
  auto& at = *key;
  const auto time = now();
  const auto chance = at.door.next_chance(time);
  if (!chance || closed_) return;
  at.wake.expires_after(std::max<instant>(*chance - time, 500us));
  at.wake.async_wait([weak = weak_from_this(),
                      entry_of_key = std::weak_ptr(key)](boost::system::error_code error) {
    const auto self = weak.lock();
    const auto still = entry_of_key.lock();
    if (self && still && !error) self->pump(still);
  });
}

void shared_plan::pump_all() {
  for (const auto& [_, each] : keys_) pump(each);
}

void shared_plan::answer(const std::string& key, std::int64_t ticket, const answer_facts& facts) {
  const auto found = entry_of(key);
  auto& at = *found;
  at.door.answer(ticket, facts, now());
  auto& counted = at.counted;
  if (facts.status == 0) {
    ++counted.unanswered;
  } else if (facts.status == 429) {
    ++counted.rejected;
  } else if (facts.status >= 200 && facts.status < 300) {
    ++counted.succeeded;
  } else {
    ++counted.failed;
  }
  counted.tokens += facts.tokens_used.value_or(0);
  if (at.door.block_to_store()) {
    ++counted.blocks;
    changed_.set();
  }
  // After the service's end a call may still be given up, when nothing may be started any more.
  if (!closed_) pump(found);
}

void shared_plan::close() {
  closed_ = true;
  for (const auto& [_, each] : keys_) {
    each->wake.cancel();
    for (auto* waiting : each->waiting) waiting->signal.cancel();
  }
  changed_.set();
}

void shared_plan::refuse_all(const std::exception_ptr& why) {
  for (const auto& [_, each] : keys_) {
    for (auto* waiting : each->waiting) {
      waiting->failure = why;
      waiting->signal.cancel();
    }
    // They resume later: until then no answer of another call may give them a ticket.
    each->waiting.clear();
    each->door.set_waiting(0);
  }
}

std::optional<state> shared_plan::look(std::string_view key) const {
  const auto found = keys_.find(key);
  if (found == keys_.end()) return std::nullopt;
  const auto& at = *found->second;
  state out;
  out.key = found->first;
  out.rate = at.door.rate();
  out.in_flight = at.door.in_flight();
  out.waiting = at.door.waiting();
  if (!at.waiting.empty()) {
    out.longest_wait = std::chrono::duration_cast<std::chrono::milliseconds>(
        steady_clock::now() - at.waiting.front()->since);
  }
  if (!clock_.known()) {
    if (out.waiting > 0) out.why_waiting = "PostgreSQL has not answered yet";
    return out;
  }
  const auto time = now();
  out.concurrency = at.door.concurrency(time);
  out.why_waiting = at.door.why(time);
  if (at.door.blocked_until() > time) {
    out.blocked_until = std::chrono::system_clock::time_point(
        std::chrono::duration_cast<std::chrono::system_clock::duration>(at.door.blocked_until()));
  }
  return out;
}

std::vector<counters> shared_plan::count() const {
  std::vector<counters> out;
  for (const auto& [_, each] : keys_) out.push_back(each->counted);
  return out;
}

}  // namespace rowrunner::limits
