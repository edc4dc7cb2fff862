#include "chaos/runner/families.hpp"

#include "chaos/behaviour.hpp"

namespace rowrunner::chaos {

using std::chrono::milliseconds;

namespace {

const char* word_for(when_failed policy) {
  if (policy == when_failed::run) return "run";
  return policy == when_failed::cancel ? "cancel" : "hold";
}

}  // namespace

terms terms_of(std::uint64_t seed, const std::string& child) {
  const auto chance = draw(seed, child + " terms");
  terms how;
  if (chance % 4 == 2) how.policy = when_failed::cancel;
  if (chance % 4 == 3) how.policy = when_failed::hold;
  if (how.policy == when_failed::hold) {
    how.at_latest = milliseconds{4'000 + chance / 4 % 8'000};
  } else if (chance / 4 % 6 == 0) {
    how.at_latest = milliseconds{500 + chance / 24 % 6'000};
  }
  return how;
}

std::vector<relative> family_of(std::uint64_t seed, std::uint64_t number) {
  const auto chance = draw(seed, "family", number);
  const auto n = std::to_string(number);
  const relative after{"after-" + n, {}, false};
  switch (chance % 6) {
    case 0:
      return {after, {"then-" + n, {after.name}, false}};
    case 1:
      return {{"left-" + n, {}, false},
              {"right-" + n, {}, false},
              {"then-" + n, {"left-" + n, "right-" + n}, false}};
    case 2:
      if (chance / 6 % 3 == 0) return {{after.name, {}, true}};
      return {after};
    default:
      return {after};
  }
}

int join_to(pqxx::dbtransaction& tx, const history& record, const known_job& child,
            const std::vector<known_job>& parents, const terms& how) {
  std::map<std::string, std::vector<std::string>> by_kind;
  std::string names;
  for (const auto& parent : parents) {
    by_kind[parent.kind].push_back(parent.id);
    names += " " + parent.name;
  }
  if (by_kind.empty()) by_kind["chaos"];
  const auto at_latest = how.at_latest.value_or(milliseconds{0}).count();
  record.note("runner join " + child.name + " " + word_for(how.policy) + " " +
              std::to_string(at_latest) + names);
  int open = 0;
  for (const auto& [kind, ids] : by_kind) {
    join one;
    one.child_kind = child.kind;
    one.child_id = child.id;
    one.parent_kind = kind;
    one.parent_ids = ids;
    one.policy = how.policy;
    one.at_latest = how.at_latest;
    open += run_after(tx, one);
  }
  return open;
}

void joined::note(const history& record) const {
  for (const auto& [child, open] : open_) {
    record.note("runner joined " + child + " " + std::to_string(open));
  }
}

}  // namespace rowrunner::chaos
