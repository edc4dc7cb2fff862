#pragma once

#include <optional>
#include <string>

#include "admin/transaction.hpp"
#include "workloads/spot_images/plan_store.hpp"

/// The same as plan_store and enqueue, for the HTTP server: on the asynchronous client.
namespace rowrunner::spot_images {

namespace asio = boost::asio;

struct imported_plan {
  import_result result = import_result::created;
  int enqueued = 0;
  /// What differs from the plan of that id; then nothing was changed.
  std::string difference;
};

/// Saves a plan and enqueues the pictures that it needs, in one transaction. The same plan again
/// changes nothing.
asio::awaitable<imported_plan> import_and_enqueue(pg::session& session, const plan& given);

/// Nothing if there is no such plan.
asio::awaitable<std::optional<plan_state>> find_plan(pg::session& session, std::string plan_id);

}  // namespace rowrunner::spot_images
