#pragma once

#include <boost/asio/steady_timer.hpp>
#include <exception>
#include <list>
#include <map>
#include <memory>
#include <string>

#include "common/event.hpp"
#include "workloads/limits/epoch_clock.hpp"
#include "workloads/limits/gate.hpp"
#include "workloads/limits/limits.hpp"
#include "workloads/limits/schedule.hpp"

namespace rowrunner::limits {

/// The keys of a process and the coroutine that talks to the database about them while they are in
/// use. Shared with what runs, because Asio may destroy suspended coroutines after the service.
class shared_plan : public std::enable_shared_from_this<shared_plan> {
 public:
  shared_plan(const services& engine, environment env, std::chrono::milliseconds idle_after);

  static boost::asio::awaitable<std::int64_t> ticket(std::shared_ptr<shared_plan> self,
                                                     std::string key, std::int64_t tokens);
  void answer(const std::string& key, std::int64_t ticket, const answer_facts& facts);
  void close();

  std::optional<state> look(std::string_view key) const;
  std::vector<counters> count() const;
  std::int64_t statements() const { return statements_; }

 private:
  struct waiter {
    waiter(const boost::asio::any_io_executor& executor, std::int64_t cost)
        : signal(executor, boost::asio::steady_timer::time_point::max()), tokens(cost) {}

    boost::asio::steady_timer signal;
    std::int64_t tokens;
    std::chrono::steady_clock::time_point since = std::chrono::steady_clock::now();
    std::optional<std::int64_t> ticket;
    std::exception_ptr failure;
  };
  struct entry {
    entry(const boost::asio::any_io_executor& executor, const std::string& replica,
          const quota& limits)
        : known(limits), door(replica, limits), wake(executor) {}

    const quota known;
    gate door;
    std::list<waiter*> waiting;
    boost::asio::steady_timer wake;
    counters counted;
    /// It is told to the others; false until the first report of a key that was idle.
    bool reported = false;
    bool active = true;
    std::optional<plan> before;
    std::vector<member_report> members;
    std::chrono::steady_clock::time_point next_warning{};
  };
  class queued;

  std::shared_ptr<entry> entry_of(const std::string& key);
  void forget_idle();
  instant now() const;
  void pump(const std::shared_ptr<entry>& key);
  void pump_all();
  void rearm(const std::shared_ptr<entry>& key);

  void start();
  static boost::asio::awaitable<void> run(std::shared_ptr<shared_plan> self);
  bool retire_idle();
  schedule::view view() const;
  boost::asio::awaitable<void> perform(const schedule::action& chosen);
  boost::asio::awaitable<void> report();
  boost::asio::awaitable<void> read(epoch target);
  boost::asio::awaitable<void> propose(epoch target);
  boost::asio::awaitable<query_result> ask(std::string_view sql, query_params params);
  void learn(const query_result& answer, instant asked);
  void learn_row(const std::string& what, const std::string& key, const std::string& value);
  void handle(const std::exception_ptr& failure);
  void refuse_all(const std::exception_ptr& why);
  void warn_of_long_waits();

  const services engine_;
  const environment env_;
  const std::string replica_;
  /// A key that was not used for so long leaves the plans.
  const instant idle_after_;
  epoch_clock clock_;
  schedule schedule_;
  std::map<std::string, std::shared_ptr<entry>, std::less<>> keys_;
  event changed_;
  std::int64_t statements_ = 0;
  bool running_ = false;
  bool closed_ = false;
  bool away_ = false;
};

}  // namespace rowrunner::limits
