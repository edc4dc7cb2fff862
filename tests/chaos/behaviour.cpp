#include "chaos/behaviour.hpp"

#include <array>
#include <csignal>
#include <string>

namespace rowrunner::chaos {
namespace {

using std::chrono::milliseconds;

std::uint64_t mixed(std::uint64_t value) {  // splitmix64
  value += 0x9e3779b97f4a7c15U;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9U;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebU;
  return value ^ (value >> 31);
}

struct share {
  action what;
  std::uint64_t parts;
};

/// Of a thousand ordinary attempts, about. Each seed makes its own mixture of them.
constexpr std::array<share, 10> ordinary{{{action::succeed, 360},
                                          {action::effect, 360},
                                          {action::steps, 90},
                                          {action::fork, 20},
                                          {action::fail, 110},
                                          {action::fail_for_good, 10},
                                          {action::retry_later, 15},
                                          {action::snooze, 30},
                                          {action::refused_effect, 10},
                                          {action::out_of_memory, 15}}};

std::uint64_t parts_of(std::uint64_t seed, const share& each) {
  const auto percent = 50 + draw(seed, "weight", static_cast<std::uint64_t>(each.what)) % 101;
  return each.parts * percent / 100;
}

action ordinary_action(std::uint64_t seed, std::uint64_t chance) {
  std::uint64_t all = 0;
  for (const auto& each : ordinary) all += parts_of(seed, each);
  chance %= all;
  for (const auto& each : ordinary) {
    const auto parts = parts_of(seed, each);
    if (chance < parts) return each.what;
    chance -= parts;
  }
  return action::succeed;
}

/// Most are quick; one in twenty takes long enough for something to happen to it.
milliseconds ordinary_time(std::uint64_t chance) {
  return milliseconds{chance % 20 == 0 ? 300 + chance / 20 % 1'200 : chance / 20 % 40};
}

/// What a worker that has lost its lease may still write: an end, a failure, a release, a step.
action late_action(std::uint64_t chance) {
  constexpr std::array<action, 6> ends{action::effect, action::effect, action::fail,
                                       action::fail,   action::snooze, action::steps};
  return ends[chance % ends.size()];
}

int any_signal(std::uint64_t chance) {
  constexpr std::array<int, 3> deadly{SIGKILL, SIGSEGV, SIGABRT};
  return deadly[chance % deadly.size()];
}

}  // namespace

std::uint64_t draw(std::uint64_t seed, std::string_view what, std::uint64_t number) {
  std::uint64_t hash = 0xcbf29ce484222325U;  // FNV-1a
  for (const char c : what) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return mixed(mixed(mixed(seed) ^ hash) ^ number);
}

std::string_view class_of(std::string_view job) { return job.substr(0, job.find('-')); }

behaviour behaviour_of(std::uint64_t seed, std::string_view job, int attempt) {
  const auto number = static_cast<std::uint64_t>(attempt);
  const auto chance = draw(seed, job, number);
  const auto again = mixed(chance);
  const auto kind = class_of(job);
  behaviour chosen{ordinary_action(seed, chance), ordinary_time(again)};
  if (chosen.what == action::fork && kind != "job") chosen.what = action::effect;
  if (kind == "pages") {
    chosen = {action::pages, milliseconds{again % 8 == 0 ? 300 : again / 8 % 60}};
  } else if (kind == "late" && attempt == 1) {
    chosen = {late_action(chance), milliseconds{1'500 + again % 2'500}};
    chosen.stubborn = true;
  } else if (kind == "slow") {
    chosen = {action::effect, milliseconds{16'000}};
  } else if (kind == "sloth") {
    chosen = {action::effect, milliseconds{50'000}};
  } else if (kind == "doomed") {
    chosen = {action::fail, milliseconds{again % 50}};
  } else if (kind == "poison" || (kind == "crash" && attempt == 1)) {
    chosen = {action::crash, milliseconds{again % 100}};
    chosen.late = chance % 2 == 0;
    chosen.signal = any_signal(again);
  } else if (kind == "hang" && attempt == 1) {
    chosen = {action::hang, milliseconds{0}};
  } else if (kind == "late" && again % 4 != 0) {
    chosen = {action::steps, milliseconds{1'500 + again % 2'000}};
  } else if (kind == "late" || kind == "crash" || kind == "hang") {
    chosen = {action::steps, milliseconds{again % 50}};
  }
  return chosen;
}

pages_plan pages_of(std::uint64_t seed, std::string_view job) {
  const auto chance = draw(seed, std::string(job) + " pages");
  pages_plan plan;
  plan.pages = 2 + static_cast<int>(chance % 5);
  plan.in_pairs = chance / 5 % 3 == 0;
  plan.summed = chance / 15 % 2 == 0;
  const int page = 1 + static_cast<int>(chance / 30 % static_cast<std::uint64_t>(plan.pages));
  const auto luck = chance / 300 % 60;
  if (luck == 0) plan.crash_after = page;
  if (luck > 48) plan.fail_after = page;
  return plan;
}

bool has_kid(std::uint64_t seed, std::string_view job, int page) {
  return draw(seed, kid_of(job, page)) % 3 == 0;
}

std::string kid_of(std::string_view job, int page) {
  return "kid-" + std::string(job) + "-" + std::to_string(page);
}
std::string sum_of(std::string_view job) { return "sum-" + std::string(job); }
std::string leaf_of(std::string_view job, int number) {
  return "leaf-" + std::string(job) + "-" + std::to_string(number);
}
std::string total_of(std::string_view job) { return "total-" + std::string(job); }

bool made_by_a_job(std::string_view job) {
  const auto kind = class_of(job);
  return kind == "kid" || kind == "sum" || kind == "leaf" || kind == "total";
}

}  // namespace rowrunner::chaos
