#include "workloads/mirror/queue_mirror.hpp"

#include <algorithm>

namespace rowrunner::mirror {

queue_mirror::queue_mirror(status_source& source, std::vector<queue_projection> queues)
    : source_(source), queues_(std::move(queues)) {}

asio::awaitable<void> queue_mirror::catch_up(const std::vector<mirrored_kind>& kinds,
                                             redis_connection& redis, clock::time_point now) {
  if (queues_.empty() || now - looked_ < between_looks) co_return;
  looked_ = now;
  std::map<std::string, seen_queue> lists;
  for (const auto& each : queues_) {
    const auto kind = std::find_if(kinds.begin(), kinds.end(), [&](const mirrored_kind& known) {
      return known.kind == each.kind;
    });
    if (kind == kinds.end()) continue;
    const auto part = co_await source_.queue(*kind, longest);
    // The version is that of the first part: what was read later may only be newer.
    auto& list = lists.try_emplace(std::string(each.list), seen_queue{part.at, {}}).first->second;
    list.waiting.insert(list.waiting.end(), part.waiting.begin(), part.waiting.end());
  }
  for (const auto& [list, seen] : lists) send(list, seen, redis, now);
}

void queue_mirror::send(const std::string& list, const seen_queue& seen, redis_connection& redis,
                        clock::time_point now) {
  const auto before = sent_.find(list);
  if (before != sent_.end() && before->second.items == seen.waiting &&
      now - before->second.at < again_after) {
    return;
  }
  const auto answer = redis.run({set_list(list, seen.at, seen.waiting)}).front();
  // Refused, as a newer one has been written: it is compared again next time.
  if (answer.number == 1) {
    sent_[list] = {seen.waiting, now};
  } else {
    sent_.erase(list);
  }
}

}  // namespace rowrunner::mirror
