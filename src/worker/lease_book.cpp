#include "worker/lease_book.hpp"

#include <algorithm>
#include <unordered_set>

namespace rowrunner {

namespace {

/// How long before the end of a lease its handlers are told to stop.
lease_book::clock::duration margin(lease_book::clock::duration length) {
  return std::min<lease_book::clock::duration>(std::chrono::seconds{1}, length / 5);
}

}  // namespace

void lease_book::open(std::int64_t lease, std::size_t jobs, time sent, clock::duration length) {
  held_.emplace(lease, entry{jobs, length, sent + length});
}

bool lease_book::heartbeat_due(time now) const {
  return std::any_of(held_.begin(), held_.end(), [&](const auto& each) {
    const auto& held = each.second;
    return now >= held.deadline - held.length + held.length / 3;
  });
}

std::vector<std::int64_t> lease_book::to_extend() const { return those(false); }

std::vector<std::int64_t> lease_book::being_ended() const { return those(true); }

std::vector<std::int64_t> lease_book::those(bool ending) const {
  std::vector<std::int64_t> leases;
  for (const auto& [lease, held] : held_) {
    if (held.ending == ending) leases.push_back(lease);
  }
  std::sort(leases.begin(), leases.end());
  return leases;
}

std::vector<std::int64_t> lease_book::extended(const std::vector<std::int64_t>& asked,
                                               const std::vector<std::int64_t>& answered,
                                               time sent) {
  const std::unordered_set<std::int64_t> alive(answered.begin(), answered.end());
  std::vector<std::int64_t> lost;
  for (const auto lease : asked) {
    const auto found = held_.find(lease);
    if (found == held_.end() || found->second.ending) continue;
    if (alive.contains(lease)) {
      found->second.deadline = sent + found->second.length;
    } else {
      lost.push_back(lease);
      held_.erase(found);
    }
  }
  return lost;
}

void lease_book::extended_at_their_end(const std::vector<std::int64_t>& answered, time sent) {
  for (const auto lease : answered) {
    const auto found = held_.find(lease);
    if (found != held_.end()) found->second.deadline = sent + found->second.length;
  }
}

std::chrono::milliseconds lease_book::longest_end(const std::vector<std::int64_t>& ended) const {
  auto longest = std::chrono::milliseconds::max();
  for (const auto lease : ended) {
    const auto found = held_.find(lease);
    if (found == held_.end()) continue;
    const auto fifth = found->second.length / 5;
    longest = std::min(longest, std::chrono::duration_cast<std::chrono::milliseconds>(fifth));
  }
  return longest;
}

std::vector<std::int64_t> lease_book::running_out(time now) {
  std::vector<std::int64_t> leases;
  for (auto& [lease, held] : held_) {
    if (!held.told_to_stop && !held.ending && now >= held.deadline - margin(held.length)) {
      held.told_to_stop = true;
      leases.push_back(lease);
    }
  }
  return leases;
}

std::vector<std::int64_t> lease_book::ending(const std::vector<std::int64_t>& leases,
                                             std::int64_t server) {
  std::unordered_map<std::int64_t, std::size_t> written;
  for (const auto lease : leases) ++written[lease];
  std::vector<std::int64_t> ended;
  for (const auto& [lease, jobs] : written) {
    const auto found = held_.find(lease);
    if (found == held_.end() || found->second.unsettled > jobs) continue;
    const auto before = found->second.settled_on;
    if (before && (*before != server || server == unknown_server)) continue;
    found->second.ending = true;
    ended.push_back(lease);
  }
  std::sort(ended.begin(), ended.end());
  return ended;
}

void lease_book::not_ended(const std::vector<std::int64_t>& ended) {
  for (const auto lease : ended) {
    if (const auto found = held_.find(lease); found != held_.end()) found->second.ending = false;
  }
}

void lease_book::settled(const std::vector<std::int64_t>& leases, std::int64_t server) {
  for (const auto lease : leases) {
    const auto found = held_.find(lease);
    if (found == held_.end()) continue;
    auto& held = found->second;
    const bool on_one = held.settled_on.value_or(server) == server;
    held.settled_on = on_one ? server : unknown_server;
    if (--held.unsettled == 0) held_.erase(found);
  }
}

}  // namespace rowrunner
