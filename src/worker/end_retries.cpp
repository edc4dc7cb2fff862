#include "worker/end_retries.hpp"

#include <algorithm>
#include <iterator>

#include "common/pg/error.hpp"

namespace rowrunner {

using namespace std::chrono_literals;

namespace {

/// How often an outcome is tried as it is before a worse one takes its place.
constexpr int most_tries = 5;
constexpr std::chrono::milliseconds first_pause{200};
constexpr auto pause_for_a_lock = 1s;

/// What the job itself or its effects may have caused; every other temporary error is a problem of
/// the server, and not charged to the job.
bool may_be_its_own_fault(const end_refusal& why) {
  return pg::classify(why.sqlstate) == pg::error_class::permanent || why.sqlstate == "40001" ||
         why.sqlstate == "40P01" || why.sqlstate == "57014";
}

bool by_an_effect(const verdict& v, const end_refusal& why) {
  const bool in_effects = why.statement.empty() || why.statement == "commit";
  return has_effects(v) && in_effects && pg::classify(why.sqlstate) == pg::error_class::permanent;
}

bool by_progress(const end_refusal& why) { return why.statement.starts_with("progress_at_end/"); }

}  // namespace

bool drops_progress(const verdict& v, const end_refusal& why) {
  if (!by_progress(why) || !may_be_its_own_fault(why)) return false;
  return pg::classify(why.sqlstate) == pg::error_class::permanent || v.tries + 1 >= most_tries;
}

std::optional<std::chrono::milliseconds> after_refusal(verdict& v, const end_refusal& why) {
  if (!may_be_its_own_fault(why)) return pause_for_a_lock;
  if (drops_progress(v, why)) {
    v.job->progress.reset();
    v.tries = 0;
    return 0ms;
  }
  const bool effect = by_an_effect(v, why);
  if (!effect && ++v.tries < most_tries) return first_pause * (1 << (v.tries - 1));
  const auto* was = std::get_if<failed>(&v.result);
  if (was != nullptr && was->final && !effect) return std::nullopt;
  const bool refused = pg::classify(why.sqlstate) == pg::error_class::permanent;
  auto error = (refused ? "the outcome was refused by the database: "
                        : "the outcome could not be written: ") +
               why.text;
  if (was != nullptr && was->error != error) error = was->error + "; " + error;
  // A failure whose effects are refused is written without them, as the handler returned it;
  // otherwise a worse outcome takes its place.
  v.result = effect && was != nullptr ? failed{std::move(error), was->after, was->final}
                                      : failed{std::move(error), {}, was != nullptr};
  v.tries = 0;
  return 0ms;
}

void end_retries::put(std::deque<part>& where, batch verdicts, clock::time_point due) {
  size_ += verdicts.size();
  lanes_[verdicts.front().job->lane].waiting += verdicts.size();
  where.push_back({std::move(verdicts), due});
}

void end_retries::add(batch fresh, clock::time_point now) { put(together_, std::move(fresh), now); }

void end_retries::failed(const lane* lane, clock::time_point now) {
  auto& one = lanes_[lane];
  if (++one.failures < failures_before_rest) return;
  one.failures = 0;
  one.rests_until = now + rest;
}

end_retries::batch end_retries::refused(batch together, const end_refusal& why,
                                        clock::time_point now) {
  std::map<const lane*, batch> by_kind;
  for (auto& v : together) by_kind[v.job->lane].push_back(std::move(v));
  if (by_kind.size() > 1) {
    for (auto& [lane, verdicts] : by_kind) put(together_, std::move(verdicts), now);
    return {};
  }
  auto& [lane, verdicts] = *by_kind.begin();
  if (!by_progress(why)) failed(lane, now);
  if (verdicts.size() == 1) {
    const auto pause = after_refusal(verdicts.front(), why);
    if (!pause) return std::move(verdicts);
    put(alone_, std::move(verdicts), now + *pause);
    return {};
  }
  const auto middle = verdicts.begin() + static_cast<std::ptrdiff_t>(verdicts.size() / 2);
  batch second(std::make_move_iterator(middle), std::make_move_iterator(verdicts.end()));
  verdicts.erase(middle, verdicts.end());
  put(together_, std::move(verdicts), now);
  put(together_, std::move(second), now);
  return {};
}

void end_retries::written(const batch& together) {
  if (lanes_.empty()) return;
  for (const auto& v : together) {
    const auto found = lanes_.find(v.job->lane);
    if (found == lanes_.end()) continue;
    found->second.failures = 0;
    if (found->second.waiting == 0) lanes_.erase(found);
  }
}

end_retries::clock::time_point end_retries::due_at(const part& one) const {
  return std::max(one.due, lanes_.at(one.verdicts.front().job->lane).rests_until);
}

std::vector<end_retries::batch> end_retries::due(clock::time_point now) {
  std::vector<batch> found;
  for (auto* const where : {&together_, &alone_}) {
    const auto first = std::find_if(where->begin(), where->end(),
                                    [&](const part& each) { return due_at(each) <= now; });
    if (first == where->end()) continue;
    size_ -= first->verdicts.size();
    lanes_.at(first->verdicts.front().job->lane).waiting -= first->verdicts.size();
    found.push_back(std::move(first->verdicts));
    where->erase(first);
  }
  return found;
}

end_retries::clock::time_point end_retries::next_due() const {
  auto soonest = clock::time_point::max();
  for (const auto* const where : {&together_, &alone_}) {
    for (const auto& each : *where) soonest = std::min(soonest, due_at(each));
  }
  return soonest;
}

void end_retries::hurry() {
  for (auto* const where : {&together_, &alone_}) {
    for (auto& each : *where) each.due = {};
  }
  for (auto& [lane, one] : lanes_) one.rests_until = {};
}

bool end_retries::in_trouble(const lane* lane) const {
  const auto found = lanes_.find(lane);
  return found != lanes_.end() && found->second.waiting > 0;
}

}  // namespace rowrunner
