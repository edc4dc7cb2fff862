#include "workloads/scoring/run_handler.hpp"

#include "queries/scoring.hpp"

namespace rowrunner::scoring {

namespace {

struct ending {
  std::string status;
  std::optional<std::string> reason{};
};

ending ending_of(int failed_chunks, const std::string& first, int failures) {
  if (failed_chunks > 0) {
    const auto others = failed_chunks - 1;
    return {"failed",
            first + (others > 0 ? " (and " + std::to_string(others) + " more chunks)" : "")};
  }
  if (failures == 0) return {"completed"};
  return {"completed", std::to_string(failures) + " of its blocks could not be scored"};
}

}  // namespace

boost::asio::awaitable<outcome> run_handler::run(job& self) {
  const auto found = co_await engine_.idempotent_query(self, std::string(queries::run_ending.text),
                                                       self.text("run_id"));
  if (found.rows.empty()) co_return succeeded{};
  const auto& row = found.rows.front();
  // A chunk that was requeued by hand since: the run ends after it.
  if (std::stoi(row.at(3).value()) > 0) co_return snoozed{std::chrono::seconds(2)};
  const auto end =
      ending_of(std::stoi(row.at(0).value()), row.at(1).value_or(""), std::stoi(row.at(2).value()));
  succeeded done;
  done.effects.push_back({std::string(queries::run_ended.text),
                          {self.text("run_id"), self.text("round"), end.status, end.reason}});
  co_return done;
}

kind_options run_options() {
  kind_options options;
  options.kind = "scoring_run";
  options.columns = {"run_id", "round"};
  return options;
}

}  // namespace rowrunner::scoring
