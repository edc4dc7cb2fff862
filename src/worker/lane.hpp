#pragma once

#include <memory>
#include <rowrunner/worker.hpp>
#include <variant>
#include <vector>

#include "common/pg/statement.hpp"
#include "common/schema/kind_info.hpp"
#include "worker/claim_state.hpp"
#include "worker/lane_counts.hpp"
#include "worker/lane_jobs.hpp"

namespace rowrunner {

/// The statements of db/queries, bound to the job table of one kind.
struct kind_statements {
  kind_statements() = default;
  /// `columns`: the SQL that reads what the handler wants, as columns_of.sql gives it.
  kind_statements(const kind_info& kind, const std::vector<std::string>& columns);

  pg::statement claim, claimed_jobs, abandon, succeed, fail, release, end_cancelled, reread,
      store_steps, progress, progress_at_end, retention;
};

using any_handler = std::variant<coroutine_handler, blocking_handler>;

/// What is served, and how: constant after the start.
struct served_kind {
  kind_options options;
  any_handler handler;
  kind_info kind;
  kind_statements sql;
};

/// One kind in this worker. Its parts are read by all, and changed as said beside each.
struct lane : served_kind {
  explicit lane(kind_options how = {}, any_handler by = {});

  claim_state claims;  ///< By the loop and the claimer.
  lane_jobs jobs;      ///< By the executor; the loop tells it what a claim has brought.
  lane_counts counts;  ///< All add to it, upkeep saves it.
  kind_times times;    ///< By the claimer and the executor, for metrics.
};

using lane_list = std::vector<std::unique_ptr<lane>>;

/// Of the leases of their kinds. There is at least one lane.
std::chrono::milliseconds shortest_lease(const lane_list& lanes);
std::chrono::milliseconds longest_lease(const lane_list& lanes);

}  // namespace rowrunner
