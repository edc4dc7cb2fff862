#pragma once

#include <functional>
#include <optional>
#include <random>

#include "chaos/runner/stage.hpp"

namespace rowrunner::chaos {

/// A time between these two.
inline std::chrono::milliseconds between(std::mt19937_64& rng, int least, int most) {
  return std::chrono::milliseconds{std::uniform_int_distribution<int>(least, most)(rng)};
}

/// Another fault may take the server away; this one is over then.
inline void while_there_is_a_server(const std::function<void()>& make) {
  try {
    make();
  } catch (const pqxx::failure&) {
  }
}

/// A worker that this fault has for itself as long as it lasts, if one was free.
class borrowed_worker {
 public:
  borrowed_worker(stage& on, std::mt19937_64& rng, bool telling = false)
      : on_(on), index_(on.workers.take(rng, telling)) {}
  borrowed_worker(stage& on, const std::string& name)
      : on_(on), index_(on.workers.take_named(name)) {}
  ~borrowed_worker() {
    if (index_) on_.workers.give_back(*index_);
  }
  borrowed_worker(const borrowed_worker&) = delete;
  borrowed_worker& operator=(const borrowed_worker&) = delete;

  explicit operator bool() const { return index_.has_value(); }
  void signal(int number) const { on_.workers.signal(*index_, number); }
  bool ended() const { return on_.workers.ended(*index_); }
  std::string name() const { return on_.workers.name(*index_); }
  const std::string& slot() const { return on_.workers.slot(*index_); }

 private:
  stage& on_;
  std::optional<std::size_t> index_;
};

/// Whether a fault should hit a worker of which it tells most. In a short run there are few faults,
/// and each should.
inline bool should_tell(stage& on, std::mt19937_64& rng) {
  return on.time_left() < std::chrono::seconds{60} || rng() % 3 != 0;
}

/// Says in the record that a worker's slot, or "all", is kept from its work, for as long as this
/// lives. The checker takes that for a reason to lose a lease.
class noted_impairment {
 public:
  noted_impairment(stage& on, std::string whom) : on_(on), whom_(std::move(whom)) {
    on_.record.note("runner impair " + whom_);
  }
  ~noted_impairment() { on_.record.note("runner recover " + whom_); }
  noted_impairment(const noted_impairment&) = delete;
  noted_impairment& operator=(const noted_impairment&) = delete;

 private:
  stage& on_;
  std::string whom_;
};

}  // namespace rowrunner::chaos
