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

/// Gives the worker the handler of that name; throws usage_error that lists the names there are.
void add_handler(worker& process, const std::string& name, kind_options options,
                 const worker_options& about, const environment& env);

}  // namespace rowrunner
