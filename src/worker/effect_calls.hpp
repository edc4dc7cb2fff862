#pragma once

#include <deque>
#include <rowrunner/outcome.hpp>
#include <vector>

#include "common/pg/statement.hpp"

namespace rowrunner {

/// The calls that run effects. It keeps their statements, so it must outlive the calls.
class effect_calls {
 public:
  void append_to(std::vector<pg::call>& calls, const std::vector<effect>& effects);

 private:
  std::deque<pg::statement> statements_;
};

}  // namespace rowrunner
