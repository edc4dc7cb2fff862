#include "chaos/runner/fleet.hpp"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

namespace rowrunner::chaos {

using namespace std::chrono_literals;

namespace {

constexpr auto look_every = 20ms;
/// As a supervisor does, so that a worker that cannot start does not spin.
constexpr auto pause_before_restart = 300ms;

const char* verb_for(int number) {
  switch (number) {
    case SIGKILL:
      return "kill";
    case SIGSTOP:
      return "stop";
    case SIGCONT:
      return "cont";
    default:
      return "term";
  }
}

/// Kilobytes of memory, from /proc.
std::string resident_kb(pid_t pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(status, line);) {
    if (!line.starts_with("VmRSS:")) continue;
    const auto begin = line.find_first_of("0123456789");
    return line.substr(begin, line.find(' ', begin) - begin);
  }
  return "0";
}

std::size_t open_files(pid_t pid) {
  std::error_code gone;
  std::filesystem::directory_iterator files("/proc/" + std::to_string(pid) + "/fd", gone);
  return gone ? 0 : static_cast<std::size_t>(std::distance(begin(files), end(files)));
}

}  // namespace

fleet::fleet(std::vector<worker_plan> plans, const history& record, std::string log_folder)
    : record_(record), log_folder_(std::move(log_folder)) {
  for (auto& plan : plans) {
    workers_.push_back(std::make_unique<slot_state>());
    workers_.back()->plan = std::move(plan);
  }
  supervisor_ = std::thread([this] { supervise(); });
}

fleet::~fleet() {
  stopping_ = true;
  supervisor_.join();
}

/// Its log goes to a file and not through a pipe of ours: it is all that is left of a killed one.
void fleet::start(slot_state& one) {
  ++one.life;
  auto environment = one.plan.environment;
  environment["WORKER_ID"] = one.name();
  std::vector<std::string> argv{"sh", "-c", "exec \"$@\" >>\"$0\" 2>&1",
                                log_folder_ + "/" + one.name() + ".log"};
  argv.insert(argv.end(), one.plan.argv.begin(), one.plan.argv.end());
  one.process = std::make_unique<testing::child_process>(argv, environment);
  record_.note("runner start " + one.name() + " " + std::to_string(one.process->pid()));
}

void fleet::supervise() {
  while (!stopping_) {
    for (auto& one : workers_) look_after(*one);
    std::this_thread::sleep_for(look_every);
  }
}

void fleet::look_after(slot_state& one) {
  const std::lock_guard lock(one.mutex);
  const auto now = std::chrono::steady_clock::now();
  if (!one.process) {
    if (!ending_ && now >= one.start_at) start(one);
    return;
  }
  const auto code = one.process->wait(0ms);
  if (!code) return;
  record_.note("runner exit " + one.name() + " " + std::to_string(*code));
  one.process.reset();
  one.start_at = now + pause_before_restart;
}

/// Somebody must be left to take over.
bool fleet::enough_left() const {
  const auto in_hand =
      std::count_if(workers_.begin(), workers_.end(), [](const auto& one) { return one->taken; });
  return in_hand * 2 < std::ssize(workers_);
}

std::optional<std::size_t> fleet::take(std::mt19937_64& rng, bool telling) {
  const std::lock_guard lock(taking_);
  std::vector<std::size_t> free;
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    const auto& one = *workers_[i];
    if (!one.taken && one.plan.telling >= telling && !ended(i)) free.push_back(i);
  }
  if (free.empty() || !enough_left()) return std::nullopt;
  const auto chosen = free[rng() % free.size()];
  workers_[chosen]->taken = true;
  return chosen;
}

std::optional<std::size_t> fleet::take_named(const std::string& worker) {
  const std::lock_guard lock(taking_);
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    if (workers_[i]->taken || name(i) != worker || ended(i) || !enough_left()) continue;
    workers_[i]->taken = true;
    return i;
  }
  return std::nullopt;
}

void fleet::give_back(std::size_t index) {
  const std::lock_guard lock(taking_);
  workers_[index]->taken = false;
}

void fleet::signal(std::size_t index, int number) {
  auto& one = *workers_[index];
  const std::lock_guard lock(one.mutex);
  if (!one.process) return;
  if (number == SIGSTOP) one.stopped_life = one.life;
  if (number == SIGCONT && std::exchange(one.stopped_life, 0) != one.life) return;
  // Noted before, so that nothing that follows from it is older than it.
  record_.note(std::string("runner ") + verb_for(number) + " " + one.name());
  one.process->kill(number);
}

bool fleet::ended(std::size_t index) {
  auto& one = *workers_[index];
  const std::lock_guard lock(one.mutex);
  return !one.process;
}

std::string fleet::name(std::size_t index) {
  auto& one = *workers_[index];
  const std::lock_guard lock(one.mutex);
  return one.name();
}

void fleet::measure() {
  for (auto& one : workers_) {
    const std::lock_guard lock(one->mutex);
    if (!one->process) continue;
    const auto pid = one->process->pid();
    record_.note("runner size " + one->name() + " " + resident_kb(pid) + " " +
                 std::to_string(open_files(pid)));
  }
}

/// The supervisor stays until all have ended: processes die with the thread that started them.
void fleet::shut_down() {
  ending_ = true;
  for (std::size_t i = 0; i < workers_.size(); ++i) signal(i, SIGTERM);
  const auto deadline = std::chrono::steady_clock::now() + 60s;
  for (std::size_t i = 0; i < workers_.size(); ++i) {
    while (!ended(i) && std::chrono::steady_clock::now() < deadline) {
      std::this_thread::sleep_for(look_every);
    }
  }
}

}  // namespace rowrunner::chaos
