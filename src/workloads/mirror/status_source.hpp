#pragma once

#include <boost/asio/awaitable.hpp>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "api/job_state.hpp"
#include "common/pg/session.hpp"
#include "workloads/mirror/status_update.hpp"

namespace rowrunner::mirror {

namespace asio = boost::asio;

struct mirrored_kind : api::served_kind {
  /// Another one each time that changes begin to be noted; see db/migrations/mirror.
  std::string epoch;
};

/// A note that a job has changed.
struct noted_change {
  std::int64_t seq = 0;
  std::string job_id;
  /// Of a job that was deleted.
  std::optional<std::string> public_id;
};

/// Jobs as one statement saw them; those that do not exist are missing.
struct seen_states {
  version at;
  std::vector<api::job_state> states;
};

struct seen_queue {
  version at;
  /// Public ids, each once.
  std::vector<std::string> waiting;
};

/// What the mirror asks the database, on one session.
class status_source {
 public:
  using ids = std::vector<std::string>;

  status_source(const asio::any_io_executor& executor, const pg::settings& database);

  /// Whether this process does the work for the next seconds.
  asio::awaitable<bool> hold();
  asio::awaitable<void> let_go();

  /// Of all mirrored kinds, whose changes are noted from now on.
  asio::awaitable<std::vector<mirrored_kind>> kinds();

  asio::awaitable<std::vector<noted_change>> changes(const mirrored_kind& of, int at_most);
  asio::awaitable<void> forget(const mirrored_kind& of, const std::vector<noted_change>& done);
  /// Of jobs that run, when they last reported progress.
  asio::awaitable<std::map<std::string, std::string>> progress_times(const mirrored_kind& of);
  asio::awaitable<seen_states> states(const mirrored_kind& of, const ids& wanted);
  asio::awaitable<seen_queue> queue(const mirrored_kind& of, int at_most);

  struct page {
    /// The jobs that changed within the time that Redis keeps a status.
    ids recent;
    /// Behind which the next page begins; nothing after the last one.
    std::optional<std::string> next;
  };
  asio::awaitable<page> jobs_after(const mirrored_kind& of, const std::string& id, int at_most);

 private:
  pg::session session_;
  const std::string me_;
};

/// The smallest id, behind which all jobs are.
inline constexpr const char* before_all_ids = "00000000-0000-0000-0000-000000000000";

}  // namespace rowrunner::mirror
