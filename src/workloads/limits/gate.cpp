#include "workloads/limits/gate.hpp"

#include <algorithm>

namespace rowrunner::limits {
namespace {

/// Epochs that a report tells of.
constexpr epoch told_epochs = 6;
/// Headers that are older say nothing about the present.
constexpr epoch header_epochs = 3;
constexpr std::chrono::hours longest_block{24};

bool overloaded(int status) { return status == 429 || status == 503 || status == 529; }

}  // namespace

gate::gate(std::string replica, const quota& known)
    : replica_(std::move(replica)),
      controller_(known.concurrency.value_or(controller::highest_limit)) {}

epoch_counts& gate::counts_of(epoch at) {
  for (auto& each : counts_) {
    if (each.at == at) return each;
  }
  while (!counts_.empty() && counts_.front().at <= at - told_epochs) counts_.pop_front();
  counts_.push_back({at, 0, 0, 0});
  return counts_.back();
}

int gate::concurrency(instant now) const {
  const auto found = plans_.find(epoch_of(now));
  int limit = controller_.limit();
  if (found != plans_.end() && found->second.concurrency) {
    limit = std::min(limit, *found->second.concurrency);
  }
  return limit;
}

/// A 429 is known here up to two seconds before a plan knows of it. Until then every other slot is
/// left out.
int gate::usable(epoch at, const own_part& part) const {
  const bool news = at - rejected_ <= 1 && part.cut <= rejected_;
  return news ? part.mine.count() / 2 : part.mine.count();
}

std::optional<std::int64_t> gate::take(instant now, std::int64_t tokens) {
  last_use_ = now;
  const auto at = epoch_of(now);
  const auto found = plans_.find(at);
  if (now < blocked_until_ || found == plans_.end()) return std::nullopt;
  auto& part = found->second;
  if (in_flight() >= concurrency(now)) return std::nullopt;
  if (part.used >= std::min(usable(at, part), part.mine.due(now - start_of(at)))) {
    return std::nullopt;
  }
  ++part.used;
  auto& counts = counts_of(at);
  ++counts.sent;
  counts.tokens += static_cast<double>(tokens);
  mean_tokens_ += ((static_cast<double>(tokens)) - mean_tokens_) / 16;
  under_way_[next_ticket_] = {at, now, tokens};
  return next_ticket_++;
}

std::optional<instant> gate::next_chance(instant now) const {
  if (in_flight() >= concurrency(now)) return std::nullopt;
  if (now < blocked_until_) return blocked_until_;
  const auto at = epoch_of(now);
  const auto found = plans_.find(at);
  if (found != plans_.end() && found->second.used < usable(at, found->second)) {
    return std::max(now, start_of(at) + found->second.mine.offset(found->second.used));
  }
  const auto next = plans_.find(at + 1);
  if (next == plans_.end()) return std::nullopt;
  return start_of(at + 1) +
         (next->second.mine.count() > 0 ? next->second.mine.offset(0) : instant{0});
}

void gate::answer(std::int64_t ticket, const answer_facts& facts, instant now) {
  const auto found = under_way_.find(ticket);
  if (found == under_way_.end()) return;
  const auto [at, sent, tokens] = found->second;
  const int before = in_flight();
  under_way_.erase(found);
  last_use_ = now;
  ended_.erase(ended_.begin(), ended_.lower_bound(epoch_of(now) - 2));
  ++ended_[epoch_of(now)];
  if (facts.tokens_used) {
    // What it really cost counts where the difference is known: in the epoch that is told next.
    counts_of(epoch_of(now)).tokens += static_cast<double>(*facts.tokens_used - tokens);
  }
  learn_headers(facts, now);
  if (overloaded(facts.status)) {
    controller_.reduce(sent, now);
    if (facts.retry_after && facts.retry_after->count() > 0) {
      const auto until = now + std::min<instant>(*facts.retry_after, longest_block);
      if (until > blocked_until_) to_store_ = until;
      block(until);
    }
  } else if (facts.status != 0) {
    controller_.succeed(before);
  }
  if (facts.status == 429) {
    ++counts_of(at).rejected;
    rejected_ = std::max(rejected_, at);
  }
}

void gate::learn_headers(const answer_facts& facts, instant now) {
  const auto at = epoch_of(now);
  while (!headers_.empty() && headers_.front().at <= at - header_epochs) headers_.pop_front();
  if (headers_.empty() || headers_.back().at != at) headers_.push_back({at, {}, {}});
  auto& seen = headers_.back();
  if (facts.limit_requests && facts.remaining_requests && facts.reset_requests) {
    seen.requests.add(*facts.limit_requests, *facts.remaining_requests, *facts.reset_requests);
  }
  if (facts.limit_tokens && facts.remaining_tokens && facts.reset_tokens) {
    seen.tokens.add(*facts.limit_tokens, *facts.remaining_tokens, *facts.reset_tokens);
  }
}

void gate::adopt(const plan& newer) {
  if (plans_.contains(newer.at)) return;
  own_part part;
  int with_slots = 0;
  int position = 0;
  const share* own = nullptr;
  for (const auto& each : newer.shares) {
    if (each.replica == replica_) {
      own = &each;
      position = with_slots;
    }
    if (each.slots > 0) ++with_slots;
  }
  if (own != nullptr) {
    part.present = true;
    part.mine = slots(own->slots, position, with_slots);
    part.concurrency = own->concurrency;
    part.cut = newer.rate.cut;
  }
  plans_.erase(plans_.begin(), plans_.lower_bound(newer.at - 2));
  if (plans_.empty() || plans_.rbegin()->first < newer.at) rate_ = newer.rate.rate;
  plans_.emplace(newer.at, part);
}

void gate::block(instant until) { blocked_until_ = std::max(blocked_until_, until); }

void gate::stored(instant until) {
  if (to_store_ && *to_store_ <= until) to_store_.reset();
}

double gate::tokens_per_call() const { return mean_tokens_; }

member_report gate::report(instant now) const {
  member_report out;
  out.replica = replica_;
  out.in_flight = in_flight();
  const auto at = epoch_of(now);
  int started = 0;
  for (const auto& each : counts_) {
    if (each.at > at - told_epochs) out.counts.push_back(each);
    if (each.at == at - 1) started = each.sent;
  }
  const auto ended = ended_.find(at - 1);
  const int room =
      std::max(0, controller_.limit() - in_flight()) + (ended == ended_.end() ? 0 : ended->second);
  out.want = std::min(waiting_ + started, std::max(room, waiting_ > 0 ? 1 : 0));
  out.tokens_per_call = tokens_per_call();
  for (const auto& each : headers_) {
    if (each.at <= at - header_epochs) continue;
    out.requests.add(each.requests);
    out.tokens.add(each.tokens);
  }
  return out;
}

std::string gate::why(instant now) const {
  if (waiting_ == 0) return "";
  if (now < blocked_until_) return "the service asked to wait (Retry-After)";
  if (in_flight() >= concurrency(now)) return "as many calls as allowed are under way";
  const auto found = plans_.find(epoch_of(now));
  if (found == plans_.end()) return "there is no plan for this second (is PostgreSQL away?)";
  if (!found->second.present) return "this process is not yet in the plan";
  return "the calls of this second are used up or come later";
}

}  // namespace rowrunner::limits
