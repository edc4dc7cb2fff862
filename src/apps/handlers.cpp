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

void add_handler(worker& process, const std::string& name, kind_options options,
                 const worker_options& about, const environment& env) {
  std::string known;
  for (const auto& entries : {workload_handlers(), std::span<const handler_entry>(general)}) {
    for (const auto& entry : entries) {
      if (entry.name == name) return entry.add(process, std::move(options), about, env);
      known += (known.empty() ? "" : ", ") + std::string{entry.name};
    }
  }
  throw usage_error("unknown handler '" + name + "': there are " + known);
}

}  // namespace rowrunner
