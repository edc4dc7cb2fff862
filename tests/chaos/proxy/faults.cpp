#include "chaos/proxy/faults.hpp"

#include <algorithm>

namespace rowrunner::chaos {

treatment link_faults::treat(direction way, const message& each, const meaning& what) {
  const auto fits = [&](const message_rule& rule) {
    if (rule.way != way) return false;
    if (rule.type ? *rule.type != each.type : !what.commits) return false;
    return rule.within.empty() || what.about.mentions(rule.within);
  };
  const auto found = std::find_if(rules.begin(), rules.end(), fits);
  if (found == rules.end()) return treatment::pass;
  const auto chosen = found->what;
  if (found->times > 0 && --found->times == 0) rules.erase(found);
  return chosen;
}

std::size_t link_faults::allowed(direction way, std::size_t wanted) {
  if (!limit || limit->way != way) return wanted;
  const auto now = static_cast<std::size_t>(std::min<std::uint64_t>(limit->left, wanted));
  limit->left -= now;
  if (now < wanted) limit.reset();
  return now;
}

}  // namespace rowrunner::chaos
