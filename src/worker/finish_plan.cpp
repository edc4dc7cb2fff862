#include "worker/finish_plan.hpp"

#include <algorithm>
#include <map>

#include "common/pg/error.hpp"

namespace rowrunner {

write_attempt failed_attempt(std::string_view sqlstate) {
  return pg::classify(sqlstate) == pg::error_class::connection ? write_attempt::unreachable
                                                               : write_attempt::refused;
}

write_step after_write(write_attempt ended) {
  switch (ended) {
    case write_attempt::written:
      return write_step::done;
    case write_attempt::refused:
      return write_step::retry_later;
    case write_attempt::uncertain:
    case write_attempt::unreachable:
      break;
  }
  return write_step::reread;
}

write_step after_reread(bool answered, std::size_t open) {
  if (!answered) return write_step::reread;
  return open > 0 ? write_step::write : write_step::done;
}

void finish_plan::close() {
  closed_ = true;
  retries_.hurry();
}

std::optional<finish_plan::clock::duration> finish_plan::wait(clock::time_point now) const {
  const auto next = std::min(retries_.next_due(), now + std::chrono::hours{1});
  if (!waiting_.empty() || next <= now) return std::nullopt;
  return next - now;
}

bool finish_plan::gathers(bool jobs_to_start, clock::time_point since,
                          clock::time_point now) const {
  return !waiting_.empty() && waiting_.size() < small_batch && !closed_ && jobs_to_start &&
         now < since + longest_gathering;
}

std::vector<finish_plan::batch> finish_plan::take_new(clock::time_point now) {
  const std::size_t n = std::min(waiting_.size(), largest_batch);
  batch plain_ones, with_effects;
  std::map<std::pair<lane*, bool>, batch> troubled;
  for (std::size_t i = 0; i < n; ++i) {
    auto& v = waiting_[i];
    const bool effects = has_effects(v);
    if (retries_.in_trouble(v.job->lane)) {
      troubled[{v.job->lane, effects}].push_back(std::move(v));
    } else {
      (effects ? with_effects : plain_ones).push_back(std::move(v));
    }
  }
  waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(n));
  for (auto& [which, each] : troubled) retries_.add(std::move(each), now);
  std::vector<batch> batches;
  if (!plain_ones.empty()) batches.push_back(std::move(plain_ones));
  if (!with_effects.empty()) batches.push_back(std::move(with_effects));
  return taken(std::move(batches));
}

std::vector<finish_plan::batch> finish_plan::take_refused(clock::time_point now) {
  return taken(retries_.due(now));
}

std::vector<finish_plan::batch> finish_plan::taken(std::vector<batch> batches) {
  for (const auto& each : batches) in_flight_ += each.size();
  return batches;
}

}  // namespace rowrunner
