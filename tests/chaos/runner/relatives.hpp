#pragma once

#include <atomic>
#include <memory>
#include <pqxx/pqxx>
#include <random>
#include <string>
#include <thread>

#include "chaos/runner/enqueuers.hpp"
#include "chaos/runner/families.hpp"
#include "chaos/runner/history.hpp"

namespace rowrunner::chaos {

/// An application that lets jobs run after others that run already, in transactions that stay open
/// for a while, so that ends meet them; that adds parents to what waits; that changes the priority
/// and the time of what is held; that deletes parents, and asks for failed ones again. It goes
/// through the faults, and notes besides what families.hpp says
///   runner requeue NAME, runner delete NAME     before
///   runner disturb                              priorities and times of held children were changed
class relatives {
 public:
  relatives(std::uint64_t seed, const history& record, std::string url, enqueuers& enqueuing);
  ~relatives();
  relatives(const relatives&) = delete;
  relatives& operator=(const relatives&) = delete;

 private:
  void run();
  void act(pqxx::connection& on);
  void join_running(pqxx::connection& on);
  void add_parents(pqxx::connection& on);
  void disturb_held(pqxx::connection& on);
  void requeue_parents(pqxx::connection& on);
  void delete_some(pqxx::connection& on);

  std::uint64_t seed_;
  const history& record_;
  std::string url_;
  enqueuers& enqueuing_;
  std::mt19937_64 rng_;
  /// Children that were joined lately, and may still wait.
  std::vector<known_job> recent_;
  std::uint64_t number_ = 0;
  std::atomic<bool> stopping_ = false;
  std::thread thread_;
};

}  // namespace rowrunner::chaos
