// Faults about the end of a lease: writes that arrive after it, a network that comes back just
// before it, and a server whose clock jumps past it.

#include <csignal>
#include <mutex>

#include "chaos/runner/catalogue.hpp"
#include "chaos/runner/faults/borrowed.hpp"
#include "chaos/runner/faults/requests.hpp"
#include "common/pg/exec.hpp"

namespace rowrunner::chaos {

using namespace std::chrono_literals;

namespace {

/// Time for a worker to hear that a job of its is to be cancelled.
constexpr auto told_within = 1'200ms;
/// Longer than a late job takes, so that its end is due while nothing can be written.
constexpr auto longest_late_job = 4s;
/// A worker gives up a second before its lease ends, and this is well behind that.
constexpr auto just_before = 300ms;

std::int64_t count(stage& on, const std::string& sql) {
  const auto connection = on.ground.connect();
  pqxx::nontransaction tx(*connection);
  return tx.exec(sql)[0][0].as<std::int64_t>();
}

std::string quoted(const std::vector<std::string>& names) {
  std::string list;
  for (const auto& name : names) list += (list.empty() ? "'" : ", '") + name + "'";
  return list;
}

/// A lease that names a slow job, and how long it is until it ends.
struct slow_lease {
  std::string worker;
  std::chrono::milliseconds left;
};

std::optional<slow_lease> first_slow_lease(stage& on, const std::string& of_worker = "%") {
  const auto connection = on.ground.connect();
  pqxx::nontransaction tx(*connection);
  const auto rows = pg::exec(
      tx,
      "SELECT l.worker, (EXTRACT(epoch FROM l.expires_at - clock_timestamp()) * 1000)::bigint"
      " FROM rowrunner.leases l JOIN chaos_jobs j ON j.lease = l.lease"
      " WHERE l.worker LIKE $1 AND j.status = 'processing' AND j.name LIKE 'slow-%'"
      " ORDER BY l.expires_at LIMIT 1",
      of_worker);
  if (rows.empty()) return std::nullopt;
  return slow_lease{rows[0][0].as<std::string>(),
                    std::chrono::milliseconds{rows[0][1].as<std::int64_t>()}};
}

/// Nothing that this worker writes arrives, for so long; then it stops until its jobs were taken
/// over and `meanwhile` is done. At the end all that it had to write arrives.
void hold_writes(stage& on, const borrowed_worker& one, std::chrono::milliseconds before,
                 const std::function<void()>& meanwhile) {
  {
    const noted_impairment noted(on, one.slot());
    on.ground.proxy().tell("stall " + one.slot());
    on.pause(before);
    one.signal(SIGSTOP);
    on.pause_until_taken_over(one.name(), lease - before, 300ms);
    while_there_is_a_server(meanwhile);
    on.ground.proxy().tell("heal " + one.slot());
    on.pause(200ms);  // what was in the network is there now
  }
  one.signal(SIGCONT);
  on.pause(500ms);
}

}  // namespace

/// What a worker had to write waits, first in the network and then in the stopped process, until
/// others have its jobs.
void write_late(stage& on, std::mt19937_64& rng) {
  on.fill();
  const borrowed_worker one(on, rng, true);
  if (!one) return;
  hold_writes(on, one, longest_late_job, [&] { on.pause(500ms); });
}

/// The same with jobs that were cancelled: their lease ends, they are asked for again, and others
/// run them when the first worker says that they are cancelled.
void cancel_late(stage& on, std::mt19937_64& rng) {
  on.fill();
  const borrowed_worker one(on, rng, true);
  if (!one) return;
  while_there_is_a_server([&] {
    const auto names = cancel_some(
        on, "status = 'processing' AND name LIKE 'late-%' AND locked_by = '" + one.name() + "'", 5);
    if (names.empty()) return;
    const std::string these = " AND name IN (" + quoted(names) + ")";
    on.pause(told_within);
    hold_writes(on, one, longest_late_job - told_within, [&] {
      requeue_some(on, "status = 'cancelled'" + these, 5);
      const std::string running = "SELECT count(*) FROM chaos_jobs WHERE status = 'processing'";
      for (int i = 0; i < 60 && count(on, running + these) < 2 && on.pause(100ms); ++i) {
      }
    });
  });
}

/// The worker has given its slow jobs up, and could extend their lease again the next moment.
void heal_before_lease_ends(stage& on, std::mt19937_64&) {
  static std::mutex one_at_a_time;  // of slow jobs there must not be too many
  const std::unique_lock alone(one_at_a_time, std::try_to_lock);
  if (!alone) return;
  on.enqueuing.add("chaos", "slow", 4);
  on.pause(1s);
  while_there_is_a_server([&] {
    const auto found = first_slow_lease(on);
    if (!found) return;
    const borrowed_worker one(on, found->worker);
    if (!one) return;
    const noted_impairment noted(on, one.slot());
    on.ground.proxy().tell("stall " + one.slot());
    on.pause(100ms);  // what was on its way may have extended it
    while_there_is_a_server([&] {
      const auto ends = first_slow_lease(on, found->worker);
      if (ends && ends->left > just_before) on.pause(ends->left - just_before);
    });
    on.ground.proxy().tell("heal " + one.slot());
  });
}

/// The workers know nothing of it.
void jump_server_clock(stage& on, std::mt19937_64&) {
  static std::mutex one_at_a_time;
  const std::unique_lock alone(one_at_a_time, std::try_to_lock);
  if (!alone) return;
  on.enqueuing.add("chaos", "slow", 4);
  on.pause(1s);
  on.record.note("runner jump");
  while_there_is_a_server([&] { expire_all_leases(*on.ground.connect()); });
  on.record.note("runner jumped");
  on.pause(2s);
}

}  // namespace rowrunner::chaos
