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

  pg::statement claim, claimed_jobs, abandon, succeed, fail, give_back, end_cancelled, reread,
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

/// One kind in this worker. Each part is changed by its owner only, and read by the others.
struct lane : served_kind {
  explicit lane(kind_options how = {}, any_handler by = {});

  claim_state claims;  ///< Of the loop.
  lane_jobs jobs;      ///< Of the executor.
  lane_counts counts;  ///< All of them add to it, upkeep saves it.
  kind_times times;    ///< Of the claimer and the executor, for metrics.
};

using lane_list = std::vector<std::unique_ptr<lane>>;

/// Of the leases of their kinds. There is at least one lane.
std::chrono::milliseconds shortest_lease(const lane_list& lanes);
std::chrono::milliseconds longest_lease(const lane_list& lanes);

}  // namespace rowrunner
