#include "worker/join_plan.hpp"

#include <algorithm>
#include <utility>

namespace rowrunner {

using namespace std::chrono_literals;

namespace {

constexpr auto between_fires = 50ms;
constexpr auto longest_pause = 1s;

}  // namespace

void join_plan::none() {
  kinds_.clear();
  asks_.reset();
}

bool join_plan::due(bool idle, time now) const {
  return asks_.due(now) && (idle || now >= next_fire_);
}

void join_plan::no_answer(time now) { asks_.failed(now); }

std::vector<join_plan::kind_id> join_plan::begin(const std::vector<kind_id>& noted, bool idle,
                                                 time now) {
  asks_.reset();
  next_fire_ = now + between_fires;
  const bool ended = std::exchange(ends_since_, false) && idle;
  std::map<kind_id, lane_backoff> kinds;
  std::vector<kind_id> chosen;
  for (const auto kind : noted) {
    const auto known = kinds_.find(kind);
    const auto fresh = lane_backoff{longest_pause};
    const auto& backoff =
        kinds.emplace(kind, known == kinds_.end() ? fresh : known->second).first->second;
    if (backoff.due(now) || (ended && backoff.reason().empty())) chosen.push_back(kind);
  }
  kinds_ = std::move(kinds);
  std::stable_partition(chosen.begin(), chosen.end(),
                        [this](kind_id kind) { return kinds_.at(kind).reason().empty(); });
  return chosen;
}

bool join_plan::tried(kind_id kind, const fired_joins& what, time begun, time now) {
  auto& backoff = kinds_.at(kind);
  if (what.jobs > 0) {
    backoff.reset();
    return false;
  }
  const bool trouble = !what.trouble.empty();
  const bool news = trouble && what.trouble != backoff.reason();
  backoff.failed(now, what.trouble, trouble ? (now - begun) * share : clock::duration{});
  return news;
}

join_plan::time join_plan::next() const {
  auto soonest = kinds_.empty() ? time{} : time::max();
  for (const auto& [kind, backoff] : kinds_) soonest = std::min(soonest, backoff.until());
  return std::max({soonest, asks_.until(), next_fire_});
}

bool join_plan::failed_repeatedly() const {
  if (asks_.failed_repeatedly()) return true;
  return !kinds_.empty() && std::all_of(kinds_.begin(), kinds_.end(), [](const auto& each) {
    return each.second.failed_repeatedly();
  });
}

}  // namespace rowrunner
