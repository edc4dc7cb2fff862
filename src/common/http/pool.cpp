#include "common/http/pool.hpp"

#include <algorithm>
#include <utility>

namespace rowrunner::http {

void pool::drop_old(clock::time_point now) {
  idle_.remove_if([&](const entry& each) { return now - each.since >= limits_.idle; });
}

std::unique_ptr<connection> pool::take(const origin& server, clock::time_point now) {
  drop_old(now);
  for (auto at = idle_.end(); at != idle_.begin();) {
    --at;
    if (at->open->server() != server) continue;
    auto found = std::move(at->open);
    at = idle_.erase(at);
    if (found->reusable()) return found;
  }
  return nullptr;
}

void pool::give(std::unique_ptr<connection> used, clock::time_point now) {
  drop_old(now);
  if (!used->reusable() || limits_.total == 0 || limits_.per_server == 0) return;
  const auto same_server = [&](const entry& each) { return each.open->server() == used->server(); };
  if (static_cast<std::size_t>(std::count_if(idle_.begin(), idle_.end(), same_server)) >=
      limits_.per_server) {
    idle_.erase(std::find_if(idle_.begin(), idle_.end(), same_server));
  }
  if (idle_.size() >= limits_.total) idle_.pop_front();
  idle_.push_back(entry{std::move(used), now});
}

}  // namespace rowrunner::http
