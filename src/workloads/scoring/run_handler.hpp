#pragma once

#include <rowrunner/worker.hpp>

namespace rowrunner::scoring {

/// Ends a run whose chunks have ended: completed, or failed with the reason of the first chunk.
class run_handler {
 public:
  explicit run_handler(services& engine) : engine_(engine) {}

  boost::asio::awaitable<outcome> run(job& self);

 private:
  services& engine_;
};

/// Of the kind scoring_run.
kind_options run_options();

}  // namespace rowrunner::scoring
