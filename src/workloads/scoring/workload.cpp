#include "workloads/scoring/workload.hpp"

#include "migrations/scoring.hpp"
#include "queries/scoring.hpp"
#include "workloads/scoring/chunk_handler.hpp"
#include "workloads/scoring/commands/commands.hpp"
#include "workloads/scoring/routes.hpp"
#include "workloads/scoring/run_handler.hpp"
#include "workloads/scoring/sheets/sheet_handler.hpp"
#include "workloads/services.hpp"

namespace rowrunner::scoring {

namespace {

coroutine_handler make_chunk_handler(workload_services& all) {
  const auto serve = std::make_shared<chunk_handler>(all.engine, all.env, all.limits);
  return [serve](job& self) { return serve->run(self); };
}

coroutine_handler make_sheet_handler(workload_services& all) {
  const auto serve = std::make_shared<sheet_handler>(all.engine, all.env);
  return [serve](job& self) { return serve->run(self); };
}

coroutine_handler make_run_handler(workload_services& all) {
  const auto serve = std::make_shared<run_handler>(all.engine);
  return [serve](job& self) { return serve->run(self); };
}

}  // namespace

workload as_workload() {
  return {{"scoring", migrations::scoring(), {}, {queries::ensure_scoring_permissions}},
          {{"scoring_chunk", chunk_options(), make_chunk_handler},
           {"scoring_run", run_options(), make_run_handler},
           {"scoring_sheet", sheet_options(), make_sheet_handler}},
          add_commands,
          make_routes};
}

}  // namespace rowrunner::scoring
