#include "apps/handlers.hpp"

#include "apps/workloads.hpp"
#include "common/errors.hpp"
#include "workloads/services.hpp"

namespace rowrunner {

namespace {

/// Ends every job at once: for trying out a table, and for measuring the engine alone.
boost::asio::awaitable<outcome> end_at_once(job&) { co_return succeeded{}; }

constexpr const char* noop = "noop";

using shared_services = std::shared_ptr<std::weak_ptr<workload_services>>;

handled_kind workload_kind(const handler_entry& entry, const shared_services& shared,
                           const environment& env) {
  const auto make = entry.make;
  const auto factory = [make, shared, env](services& engine) -> coroutine_handler {
    auto all = shared->lock();
    if (!all) *shared = all = std::make_shared<workload_services>(engine, env);
    return [all, run = make(*all)](job& self) { return run(self); };
  };
  return {entry.options, factory};
}

}  // namespace

std::vector<handler_entry> workload_handlers() {
  std::vector<handler_entry> all;
  for (const auto& each : workloads()) {
    all.insert(all.end(), each.handlers.begin(), each.handlers.end());
  }
  return all;
}

handled_kind handler_table::find(const std::string& kind, const std::string& name) const {
  kind_options plain;
  plain.kind = kind;
  if (name == noop) return {plain, end_at_once};
  std::string known;
  for (const auto& entry : workload_handlers()) {
    if (entry.name == name) {
      auto found = workload_kind(entry, shared_, env_);
      found.options.kind = kind;
      return found;
    }
    known += std::string{entry.name} + ", ";
  }
  known += noop;
  if (kind != name) throw usage_error("unknown handler '" + name + "': there are " + known);
  throw usage_error("rowrunner itself has no handler for kind '" + kind + "' (it has " + known +
                    "): jobs of your own kinds are run by a program of your own, made with "
                    "rowrunner::run_worker as in examples/own_table; to try the table out, "
                    "--handler " +
                    kind + "=noop ends every job at once");
}

}  // namespace rowrunner
