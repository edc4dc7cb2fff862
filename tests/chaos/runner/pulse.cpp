#include "chaos/runner/pulse.hpp"

#include <chrono>

namespace rowrunner::chaos {

using namespace std::chrono_literals;

namespace {

constexpr auto beat_every = 200ms;
constexpr auto too_slow = 1s;

}  // namespace

pulse::pulse(const arena& ground, const history& record)
    : ground_(ground), record_(record), thread_([this] { beat(); }) {}

pulse::~pulse() {
  stopping_ = true;
  thread_.join();
}

void pulse::beat() {
  std::unique_ptr<pqxx::connection> connection;
  while (!stopping_) {
    const auto begun = std::chrono::steady_clock::now();
    // Within what is measured: a process that does not get the processor sleeps longer than it
    // wanted to.
    std::this_thread::sleep_for(beat_every);
    try {
      if (!connection) connection = ground_.connect();
      pqxx::nontransaction tx(*connection);
      tx.exec("UPDATE chaos_pulse SET n = n + 1");
    } catch (const pqxx::failure&) {
      // The server is away, which the record says already.
      connection.reset();
      continue;
    }
    const auto took = std::chrono::steady_clock::now() - begun - beat_every;
    if (took < too_slow) continue;
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(took).count();
    record_.note("runner slow " + std::to_string(ms));
  }
}

}  // namespace rowrunner::chaos
