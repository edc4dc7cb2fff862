#pragma once

#include <atomic>
#include <memory>
#include <pqxx/pqxx>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "chaos/runner/history.hpp"

namespace rowrunner::chaos {

/// Applications that enqueue while the faults happen, and note what they were told:
///   enqueuer enqueue KIND NAME           before
///   enqueuer enqueued KIND NAME ID       it was acknowledged
///   enqueuer existed KIND NAME           the key was there already
///   enqueuer refused KIND NAME WHY       the payload was refused
///   enqueuer unknown KIND NAME WHY       no answer: it may exist or not
class enqueuers {
 public:
  /// `url` goes through the faults, `direct_url` past those of the network.
  enqueuers(std::uint64_t seed, const history& record, std::string url, std::string direct_url);
  ~enqueuers();
  enqueuers(const enqueuers&) = delete;
  enqueuers& operator=(const enqueuers&) = delete;

  /// About so many jobs a second.
  void start(int jobs_per_second);
  void stop();

  /// Jobs of this class now ("crash", "slow", ...; see behaviour.hpp).
  void add(const std::string& kind, const std::string& job_class, int how_many = 1);
  /// Names that must be refused at the door, and a plan that nests too deep.
  void add_poison(const std::string& folder);
  /// So many clients enqueue the same key at the same time.
  void storm(int clients, const std::string& pooled_url);

 private:
  struct wish {
    std::string kind;
    std::string name;
  };

  void run(int number);
  void run_pictures();
  wish wish_of(std::uint64_t number) const;
  std::vector<wish> next_batch(std::size_t size);
  bool enqueue(pqxx::connection& on, const std::vector<wish>& jobs);
  bool enqueue_pictures(pqxx::connection& on, std::uint64_t plan);
  void refuse(pqxx::connection& on, const std::string& label, const std::string& name);
  void note(const char* event, const wish& job, const std::string& detail = {}) const;
  void note_answers(const std::vector<wish>& jobs,
                    const std::vector<std::optional<std::string>>& ids) const;
  /// Tries until it works; null when it is time to stop.
  std::unique_ptr<pqxx::connection> connect() const;

  std::uint64_t seed_;
  const history& record_;
  std::string url_;
  std::string direct_url_;
  int per_second_ = 1;
  std::atomic<bool> stopping_ = false;
  std::atomic<std::uint64_t> next_ = 0;
  std::atomic<std::uint64_t> next_special_ = 0;
  std::vector<std::thread> threads_;
};

}  // namespace rowrunner::chaos
