#pragma once

#include <rowrunner/worker.hpp>
#include <span>
#include <string>
#include <string_view>

#include "common/environment.hpp"

namespace rowrunner {

/// A handler that is built into the binary. Adding a workload is one line in the table.
struct handler_entry {
  std::string_view name;
  void (*add)(worker& process, kind_options options, const worker_options& about,
              const environment& env);
};

/// The workloads, each under the kind that it is made for: what a worker serves by default.
std::span<const handler_entry> workload_handlers();

/// The handler of that name, for a kind; throws usage_error that lists the names there are, and
/// says how a kind that has none is run.
const handler_entry& find_handler(const std::string& kind, const std::string& name);

}  // namespace rowrunner
