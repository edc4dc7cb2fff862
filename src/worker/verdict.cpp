#include "worker/verdict.hpp"

namespace rowrunner {

const std::vector<effect>& effects_of(const verdict& v) {
  static const std::vector<effect> none;
  return std::visit(
      overloaded{[](const released&) -> const std::vector<effect>& { return none; },
                 [](const auto& how) -> const std::vector<effect>& { return how.effects; }},
      v.result);
}

bool has_effects(const verdict& v) { return !effects_of(v).empty(); }

std::optional<ending> ending_of(const running_job& job, std::optional<outcome> returned,
                                std::string error) {
  const bool done = returned && std::holds_alternative<succeeded>(*returned);
  if (job.stop == stop_reason::none || done) {
    if (!returned) return failed{std::move(error), {}, false};
    return std::visit([](auto& how) { return ending{std::move(how)}; }, *returned);
  }
  switch (job.stop) {
    case stop_reason::cancelled:
      return cancelled{job.stop_note};
    case stop_reason::timed_out:
      return failed{job.stop_note, {}, false};
    case stop_reason::shutdown:
      return released{};
    default:
      return std::nullopt;
  }
}

}  // namespace rowrunner
