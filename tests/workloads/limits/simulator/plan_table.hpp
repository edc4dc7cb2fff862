#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "workloads/limits/plan.hpp"

namespace rowrunner::limits::testing {

/// What PostgreSQL stores for one key, with the rules of its statements.
class plan_table {
 public:
  void report(const member_report& said, std::optional<instant> block, instant now) {
    members_[said.replica] = {said, now};
    if (block) blocked_until_ = std::max(blocked_until_, *block);
  }

  instant blocked_until() const { return blocked_until_; }

  std::vector<plan> plans_from(epoch at) const {
    std::vector<plan> out;
    for (auto it = plans_.lower_bound(at); it != plans_.end(); ++it) out.push_back(it->second);
    return out;
  }
  std::optional<plan> newest_before(epoch at) const {
    auto it = plans_.lower_bound(at);
    if (it == plans_.begin()) return std::nullopt;
    return std::prev(it)->second;
  }
  std::vector<member_report> members(instant now) const {
    std::vector<member_report> out;
    for (const auto& [_, each] : members_) {
      if (each.seen > now - std::chrono::seconds(3)) out.push_back(each.said);
    }
    return out;
  }
  /// The first writer wins.
  plan propose(const plan& made) { return plans_.emplace(made.at, made).first->second; }

 private:
  struct member {
    member_report said;
    instant seen;
  };
  std::map<std::string, member> members_;
  std::map<epoch, plan> plans_;
  instant blocked_until_{0};
};

}  // namespace rowrunner::limits::testing
