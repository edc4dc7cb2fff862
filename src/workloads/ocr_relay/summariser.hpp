#pragma once

#include "workloads/services.hpp"
#include "workloads/workload.hpp"

namespace rowrunner::ocr_relay {

/// Sends the summary of a relay job: it runs when the job and the deliveries of its pages have
/// ended, or were waited for long enough.
class summariser {
 public:
  /// The services must live longer.
  explicit summariser(services& engine) : engine_(engine) {}

  boost::asio::awaitable<outcome> run(job& self);

 private:
  services& engine_;
};

/// The handler of the kind ocr_relay_summary.
handler_entry summary_handler();

}  // namespace rowrunner::ocr_relay
