#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <rowrunner/enqueue.hpp>
#include <rowrunner/worker.hpp>
#include <string>

#include "chaos/behaviour.hpp"
#include "chaos/worker/handlers.hpp"
#include "worker/running_job.hpp"

namespace rowrunner::chaos {

using context_ptr = std::shared_ptr<const handler_context>;
using step_body = std::function<boost::asio::awaitable<step_result>()>;

/// A job's lease is the engine's business; the record needs it.
template <typename Job>
struct leased : Job {
  explicit leased(const Job& one) : Job(one) {}
  std::int64_t lease() const { return static_cast<const running_job&>(*this->backend_).lease; }
};

/// One run of a handler, its lines in the record, and what it writes.
class execution {
 public:
  template <typename Job>
  execution(context_ptr context, const Job& self)
      : context_(std::move(context)),
        id_(self.id()),
        kind_(self.kind()),
        name_(self.text("name")),
        attempt_(self.attempt()),
        lease_(leased<Job>(self).lease()) {
    note("begin");
  }

  void note(const std::string& event, const std::string& detail = {}) const;

  const std::string& id() const { return id_; }
  const std::string& kind() const { return kind_; }
  const std::string& name() const { return name_; }
  int attempt() const { return attempt_; }
  std::int64_t lease() const { return lease_; }
  std::uint64_t seed() const { return context_->seed; }
  behaviour plan() const { return behaviour_of(context_->seed, name_, attempt_); }

  /// What a step stores: with the lease that it was stored under, so that a late one is seen.
  nlohmann::json result(const std::string& value) const {
    return {{"value", value}, {"lease", lease_}};
  }
  /// What every step writes that has effects: a row with its name and the lease.
  effect page(const std::string& step) const;
  /// A child of this name; its id is given in.
  static effect child(const std::string& name, const std::string& id);

  /// What the job ends with, recorded before it is returned.
  outcome end(action what) const;

  [[noreturn]] void crash(int signal) const;

 private:
  /// Two children, and one that runs after both.
  void add_fork(std::vector<effect>& effects) const;

  context_ptr context_;
  std::string id_;
  std::string kind_;
  std::string name_;
  int attempt_;
  std::int64_t lease_;
};

boost::asio::awaitable<void> pause(std::chrono::milliseconds time);

/// Page after page: see pages_of. Throws where the plan says that the attempt fails.
boost::asio::awaitable<void> run_pages(job& self, const execution& log,
                                       std::chrono::milliseconds between);

}  // namespace rowrunner::chaos
