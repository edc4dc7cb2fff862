#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace rowrunner {

/// The leases that this worker holds, by its own clock; each kind has a length of its own. It
/// decides and does nothing: when to send a heartbeat, which leases are lost, which end with the
/// jobs that are written now.
///
/// The deadline of a lease counts from the moment when its claim or heartbeat was *sent*: the
/// server counts from the moment when it got there, so for the worker a lease always ends first.
class lease_book {
 public:
  using clock = std::chrono::steady_clock;
  using time = clock::time_point;

  /// Whether a claim that was sent then, for a lease of that length, leaves time for a heartbeat
  /// that is not answered at once either.
  static bool in_time(time sent, clock::duration length, time now) {
    return now < sent + length / 2;
  }
  void open(std::int64_t lease, std::size_t jobs, time sent, clock::duration length);

  /// One is due when it has been a third of its length since the claim or the last heartbeat of any
  /// lease.
  bool heartbeat_due(time now) const;
  /// The leases to extend, without those that are being ended just now.
  std::vector<std::int64_t> to_extend() const;
  /// Those that are being ended: their row may be locked or gone by now, so a heartbeat that does
  /// not find it says nothing. But what is to end them may never reach the server.
  std::vector<std::int64_t> being_ended() const;
  /// `asked` were sent at `sent`; `answered` came back. Gives those that are lost, and forgets
  /// them.
  std::vector<std::int64_t> extended(const std::vector<std::int64_t>& asked,
                                     const std::vector<std::int64_t>& answered, time sent);
  /// Of those that are being ended, `answered` were extended by a heartbeat that was sent then.
  void extended_at_their_end(const std::vector<std::int64_t>& answered, time sent);
  /// The leases whose time is nearly up with no heartbeat through: their handlers must stop now.
  /// Each is named once. Under one that is being ended no handler runs.
  std::vector<std::int64_t> running_out(time now);

  /// One job of each of these leases is about to be written (a lease stands as often as it has
  /// jobs here). Gives the leases that end with them, if it is this server that writes them.
  ///
  /// A lease of which jobs were settled on another server is not ended but left to expire: a
  /// standby that was promoted may not have these ends, and without the lease no rescue would find
  /// the jobs.
  std::vector<std::int64_t> ending(const std::vector<std::int64_t>& leases, std::int64_t server);
  /// The write did not happen.
  void not_ended(const std::vector<std::int64_t>& ended);
  /// These jobs are settled, one per entry, as this server has answered.
  void settled(const std::vector<std::int64_t>& leases, std::int64_t server);
  static constexpr std::int64_t unknown_server = 0;
  /// How long the end of these leases may wait for a lock: meanwhile it holds their rows, which no
  /// heartbeat can reach.
  std::chrono::milliseconds longest_end(const std::vector<std::int64_t>& ended) const;

  /// Something under this lease will never be settled by this worker: it is left to expire, so that
  /// a rescue takes care of all that it names.
  void forget(std::int64_t lease) { held_.erase(lease); }

  bool holds(std::int64_t lease) const { return held_.contains(lease); }
  /// Held, and its handlers were not told to stop.
  bool usable(std::int64_t lease) const {
    const auto found = held_.find(lease);
    return found != held_.end() && !found->second.told_to_stop;
  }
  bool empty() const { return held_.empty(); }

 private:
  struct entry {
    std::size_t unsettled;
    clock::duration length;
    time deadline;
    bool ending = false;
    bool told_to_stop = false;
    /// Where jobs of it were settled so far; unknown_server if on several.
    std::optional<std::int64_t> settled_on{};
  };

  std::vector<std::int64_t> those(bool ending) const;

  std::unordered_map<std::int64_t, entry> held_;
};

}  // namespace rowrunner
