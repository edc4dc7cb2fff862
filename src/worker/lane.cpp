#include "worker/lane.hpp"

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
  give_back = bind(queries::give_back);
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

}  // namespace rowrunner
