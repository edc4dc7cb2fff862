#include "apps/handlers.hpp"

#include "common/errors.hpp"
#include "workloads/spot_images/handler.hpp"

namespace rowrunner {

namespace {

/// Ends every job at once: for trying out a table, and for measuring the engine alone.
void add_noop(worker& process, kind_options options, const worker_options&, const environment&) {
  process.add(std::move(options),
              [](job&) -> boost::asio::awaitable<outcome> { co_return succeeded{}; });
}

constexpr handler_entry workloads[] = {{"spot_image", spot_images::add_to}};
constexpr handler_entry general[] = {{"noop", add_noop}};

}  // namespace

std::span<const handler_entry> workload_handlers() { return workloads; }

const handler_entry& find_handler(const std::string& kind, const std::string& name) {
  std::string known;
  for (const auto& entries : {workload_handlers(), std::span<const handler_entry>(general)}) {
    for (const auto& entry : entries) {
      if (entry.name == name) return entry;
      known += (known.empty() ? "" : ", ") + std::string{entry.name};
    }
  }
  if (kind != name) throw usage_error("unknown handler '" + name + "': there are " + known);
  throw usage_error("rowrunner itself has no handler for kind '" + kind + "' (it has " + known +
                    "): jobs of your own kinds are run by a program of your own, made with "
                    "rowrunner::run_worker as in examples/own_table; to try the table out, "
                    "--handler " +
                    kind + "=noop ends every job at once");
}

}  // namespace rowrunner
