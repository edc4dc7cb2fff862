#pragma once

#include <memory>
#include <rowrunner/run_worker.hpp>
#include <string>
#include <vector>

#include "common/environment.hpp"
#include "workloads/workload.hpp"

namespace rowrunner {

/// The workloads, each under the kind that it is made for: what a worker serves by default.
std::vector<handler_entry> workload_handlers();

/// The kind with the handler of that name; throws usage_error that lists the names there are, and
/// says how a kind that has none is run. The services of the workloads are made with the first of
/// their handlers, and live as long as the last.
class handler_table {
 public:
  explicit handler_table(environment settings) : env_(std::move(settings)) {}

  handled_kind find(const std::string& kind, const std::string& name) const;

 private:
  const environment env_;
  const std::shared_ptr<std::weak_ptr<workload_services>> shared_ =
      std::make_shared<std::weak_ptr<workload_services>>();
};

}  // namespace rowrunner
