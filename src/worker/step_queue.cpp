#include "worker/step_queue.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace rowrunner {

namespace {

constexpr std::chrono::milliseconds first_pause{50};
constexpr int most_doublings = 5;

}  // namespace

void step_queue::add(step_ptr step) { waiting_.push_back(std::move(step)); }

/// A step that is in the batch already waits for the next one, which finds it stored: the answer
/// tells steps by job and name.
step_queue::batch step_queue::take_new(clock::time_point now) {
  batch taken;
  std::set<std::pair<const running_job*, std::string_view>> names;
  std::deque<step_ptr> left;
  for (auto& step : waiting_) {
    if (step->abandoned) continue;
    const bool fits = taken.size() < largest_batch && step->due <= now;
    if (fits && names.emplace(step->job.get(), step->name).second) {
      taken.push_back(std::move(step));
    } else {
      left.push_back(std::move(step));
    }
  }
  waiting_ = std::move(left);
  return taken;
}

std::vector<step_queue::batch> step_queue::due(clock::time_point now) {
  std::vector<batch> found;
  if (auto fresh = take_new(now); !fresh.empty()) found.push_back(std::move(fresh));
  if (!parts_.empty()) {
    auto part = std::move(parts_.front());
    parts_.pop_front();
    std::erase_if(part, [](const step_ptr& step) { return step->abandoned; });
    if (!part.empty()) found.push_back(std::move(part));
  }
  return found;
}

step_queue::clock::time_point step_queue::next_due() const {
  if (!parts_.empty()) return {};
  auto soonest = clock::time_point::max();
  for (const auto& step : waiting_) soonest = std::min(soonest, step->due);
  return soonest;
}

void step_queue::again(const batch& together, clock::time_point now, clock::duration pause) {
  for (const auto& step : together) {
    step->due = now + pause;
    waiting_.push_back(step);
  }
}

void step_queue::refused(const batch& together, bool for_good, const std::string& reason,
                         clock::time_point now) {
  if (together.size() > 1) {
    const auto middle = together.begin() + static_cast<std::ptrdiff_t>(together.size() / 2);
    parts_.emplace_back(together.begin(), middle);
    parts_.emplace_back(middle, together.end());
    return;
  }
  auto& step = *together.front();
  if (!for_good) {
    again(together, now, first_pause * (1 << std::min(step.tries++, most_doublings)));
    return;
  }
  step.reason = reason;
  step.answer_with(pending_step::answer::refused);
}

}  // namespace rowrunner
