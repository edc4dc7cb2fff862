#include "apps/handlers.hpp"

#include "apps/workloads.hpp"
#include "common/errors.hpp"

namespace rowrunner {

namespace {

/// Ends every job at once: for trying out a table, and for measuring the engine alone.
void add_noop(worker& process, kind_options options, const worker_options&, const environment&) {
  process.add(std::move(options),
              [](job&) -> boost::asio::awaitable<outcome> { co_return succeeded{}; });
}

constexpr handler_entry noop{"noop", add_noop};

}  // namespace

std::vector<handler_entry> workload_handlers() {
  std::vector<handler_entry> all;
  for (const auto& each : workloads()) {
    all.insert(all.end(), each.handlers.begin(), each.handlers.end());
  }
  return all;
}

handler_entry find_handler(const std::string& kind, const std::string& name) {
  auto all = workload_handlers();
  all.push_back(noop);
  std::string known;
  for (const auto& entry : all) {
    if (entry.name == name) return entry;
    known += (known.empty() ? "" : ", ") + std::string{entry.name};
  }
  if (kind != name) throw usage_error("unknown handler '" + name + "': there are " + known);
  throw usage_error("rowrunner itself has no handler for kind '" + kind + "' (it has " + known +
                    "): jobs of your own kinds are run by a program of your own, made with "
                    "rowrunner::run_worker as in examples/own_table; to try the table out, "
                    "--handler " +
                    kind + "=noop ends every job at once");
}

}  // namespace rowrunner
