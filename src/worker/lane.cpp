#include "worker/lane.hpp"

#include <algorithm>

#include "queries/engine.hpp"

namespace rowrunner {

kind_statements::kind_statements(const kind_info& kind, const std::vector<std::string>& columns) {
  std::string list;
  for (const auto& column : columns) list += ", " + column;
  const auto bind = [&](const query& q) {
    return pg::statement{std::string{q.name} + "/" + kind.kind, kind.bind(q, list)};
  };
  claim = bind(queries::claim);
  claimed_jobs = bind(queries::claimed_jobs);
  abandon = bind(queries::abandon);
  succeed = bind(queries::succeed);
  fail = bind(queries::fail);
  release = bind(queries::release);
  end_cancelled = bind(queries::end_cancelled);
  reread = bind(queries::reread);
  store_steps = bind(queries::store_steps);
  progress = bind(queries::progress);
  progress_at_end = bind(queries::progress_at_end);
  retention = bind(queries::retention);
  claim.binary_answer = claimed_jobs.binary_answer = true;
}

lane::lane(kind_options how, any_handler by)
    : served_kind{std::move(how), std::move(by), {}, {}}, jobs(options.max_concurrent) {}

namespace {

bool shorter_lease(const std::unique_ptr<lane>& a, const std::unique_ptr<lane>& b) {
  return a->options.lease < b->options.lease;
}

}  // namespace

std::chrono::milliseconds shortest_lease(const lane_list& lanes) {
  return (*std::min_element(lanes.begin(), lanes.end(), shorter_lease))->options.lease;
}

std::chrono::milliseconds longest_lease(const lane_list& lanes) {
  return (*std::max_element(lanes.begin(), lanes.end(), shorter_lease))->options.lease;
}

}  // namespace rowrunner
