#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <pqxx/pqxx>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "chaos/runner/families.hpp"
#include "chaos/runner/history.hpp"

namespace rowrunner::chaos {

/// For a client that gives up in time, or a stall would hold up the end of the run.
std::string patient(const std::string& url);

/// Applications that enqueue while the faults happen, and note what they were told:
///   enqueuer enqueue KIND NAME           before
///   enqueuer enqueued KIND NAME ID       it was acknowledged
///   enqueuer existed KIND NAME           the key was there already
///   enqueuer refused KIND NAME WHY       the payload was refused
///   enqueuer unknown KIND NAME WHY       no answer: it may exist or not
/// Some of them let further jobs run after these, in the same transaction; see families.hpp.
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
  /// A job of kind chaos, and in its transaction what else is to be done with it.
  void enqueue_with(
      pqxx::connection& on, const std::string& name,
      const std::function<void(pqxx::work& tx, const known_job& made, joined& joins)>& besides);
  /// Jobs that may be deleted, since nobody will enqueue them again: those whose enqueue was
  /// answered a while ago.
  std::vector<known_job> take_deletable();

 private:
  struct wish {
    std::string kind;
    std::string name;
  };

  void run(int number);
  void run_pictures();
  wish wish_of(std::uint64_t number) const;
  std::vector<wish> next_batch(std::size_t size);
  bool enqueue(pqxx::connection& on, const std::vector<wish>& jobs,
               const std::vector<relative>& family = {});
  void enqueue_family(pqxx::work& tx, const std::vector<relative>& family,
                      const std::vector<known_job>& jobs,
                      std::vector<std::optional<std::string>>& ids, joined& joins) const;
  std::vector<relative> next_family(std::mt19937_64& rng);
  bool enqueue_pictures(pqxx::connection& on, std::uint64_t plan);
  void refuse(pqxx::connection& on, const std::string& label, const std::string& name);
  void note(const char* event, const wish& job, const std::string& detail = {}) const;
  void note_answers(const std::vector<wish>& jobs,
                    const std::vector<std::optional<std::string>>& ids);
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
  std::atomic<std::uint64_t> next_family_ = 0;
  std::mutex deleting_;
  std::vector<known_job> deletable_;
  std::vector<std::thread> threads_;
};

}  // namespace rowrunner::chaos
