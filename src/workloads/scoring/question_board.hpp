#pragma once

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <rowrunner/services.hpp>
#include <set>
#include <string>
#include <vector>

#include "common/environment.hpp"
#include "workloads/scoring/gathered.hpp"

namespace rowrunner::scoring {

struct known_answer {
  std::vector<std::optional<double>> scores;
  std::string provider;
  std::string model;
};

struct cache_settings {
  std::chrono::seconds time_to_live{24 * 60 * 60};
  std::int64_t most_entries = 10'000;
  /// How long a marker lives that is not renewed: others ask then.
  std::chrono::seconds marker_time{6};
  std::chrono::milliseconds between_looks{250};
};

/// SCORING_CACHE_ENTRIES and SCORING_CACHE_SECONDS. Throws usage_error.
cache_settings cache_settings_from(const environment& env);

/// Knows what was answered, and who is asking what, in this process and in all others. The same
/// question is asked by one of them; the others wait for its answer. No connection and no lock is
/// held meanwhile: a marker row with a time, which is renewed, says that it is being asked.
///
/// Those who wait are called back. A coroutine that waited here would keep its place in the
/// pipeline, and two processes could wait for each other.
class question_board : public std::enable_shared_from_this<question_board> {
 public:
  /// With neither, the question is the caller's to ask; `keep` or `give_up` follow.
  struct found {
    std::optional<known_answer> answer{};
    std::string failure{};
  };
  using callback = std::function<void(found)>;

  question_board(services& engine, cache_settings settings, std::string asker);
  ~question_board();

  void request(const std::string& key, callback then);
  /// A validated answer, for all who wait, and for later.
  void keep(const std::string& key, const known_answer& answer);
  /// There is no answer that others could use: the next who waits is to ask.
  void give_up(const std::string& key);
  /// When all answers that were kept so far are stored, removes those beyond the limit.
  asio::awaitable<void> trim_stored();

 private:
  struct claim {
    bool mine = false;
    std::optional<known_answer> answer;
  };
  using stored_answer = std::pair<std::string, std::string>;
  using board_ptr = std::shared_ptr<question_board>;

  static asio::awaitable<void> search(board_ptr self, std::string key, callback then);
  static asio::awaitable<void> store(board_ptr self, std::string key, std::string value);
  static asio::awaitable<void> release(board_ptr self, std::string key);
  static asio::awaitable<void> renew(board_ptr self);
  asio::awaitable<std::vector<claim>> claim_all(std::vector<std::string> keys);
  asio::awaitable<std::vector<bool>> store_all(std::vector<stored_answer> answers);
  asio::awaitable<void> trim();
  void hold(const std::string& key);
  void land(const std::string& key, const found& what);

  services& engine_;
  const cache_settings settings_;
  const std::string asker_;
  /// Questions that this process asks or looks for, and those who wait for them.
  std::map<std::string, std::deque<callback>> flights_;
  /// Answers on their way into the cache: those who ask now would not find them there.
  std::map<std::string, known_answer> storing_;
  /// Markers that are this process's.
  std::set<std::string> held_;
  bool renewing_ = false;
  std::shared_ptr<gathered<std::string, claim>> claims_;
  std::shared_ptr<gathered<stored_answer, bool>> stores_;
  int stored_since_trim_ = 0;
  /// Answers that were kept, and those of them that were stored or could not be.
  std::int64_t kept_ = 0;
  std::int64_t landed_ = 0;
  wait_list stored_;
};

}  // namespace rowrunner::scoring
