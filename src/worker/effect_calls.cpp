#include "worker/effect_calls.hpp"

#include "common/storable.hpp"

namespace rowrunner {

void effect_calls::append_to(std::vector<pg::call>& calls, const std::vector<effect>& effects) {
  for (const auto& each : effects) {
    std::vector<pg::param> params;
    for (const auto& param : each.params) {
      params.emplace_back(param ? std::optional(storable(*param)) : std::nullopt);
    }
    const auto& kept = statements_.emplace_back(pg::statement{"", storable(each.sql)});
    calls.emplace_back(kept, std::move(params));
  }
}

}  // namespace rowrunner
