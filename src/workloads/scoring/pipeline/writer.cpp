#include <algorithm>
#include <cstdio>

#include "common/pg/array.hpp"
#include "queries/scoring.hpp"
#include "workloads/scoring/csv.hpp"
#include "workloads/scoring/pipeline/flush_plan.hpp"
#include "workloads/scoring/pipeline/pipeline.hpp"

namespace rowrunner::scoring {

namespace {

using clock = std::chrono::steady_clock;
using items = std::vector<written_item>;

std::string flush_name(int number) {
  char text[24];
  std::snprintf(text, sizeof text, "flush-%06d", number);
  return text;
}

std::string scores_array(const std::vector<std::optional<double>>& scores) {
  std::string out = "{";
  for (const auto& each : scores) {
    out += (out.size() > 1 ? "," : "") + (each ? csv_number(*each) : std::string("NULL"));
  }
  return out + "}";
}

effect scores_effect(const std::string& run, const items& all) {
  std::vector<std::int64_t> rows, blocks;
  std::vector<std::string> scores, providers, models;
  for (const auto& item : all) {
    if (item.result.scores.empty()) continue;
    rows.push_back(item.result.row_index);
    blocks.push_back(item.result.block_index);
    scores.push_back(scores_array(item.result.scores));
    providers.push_back(item.result.provider);
    models.push_back(item.result.model);
  }
  return {std::string(queries::chunk_flush.text),
          {run, pg::array(rows), pg::array(blocks), pg::array(scores), pg::array(providers),
           pg::array(models)}};
}

effect failures_effect(const std::string& run, const items& all) {
  std::vector<std::int64_t> rows, blocks;
  std::vector<std::string> reasons;
  for (const auto& item : all) {
    if (item.failure.empty()) continue;
    rows.push_back(item.result.row_index);
    blocks.push_back(item.result.block_index);
    reasons.push_back(item.failure);
  }
  return {std::string(queries::chunk_flush_failures.text),
          {run, pg::array(rows), pg::array(blocks), pg::array(reasons)}};
}

effect counts_effect(const chunk_plan& plan, const items& all, double write_seconds) {
  std::vector<std::int64_t> rows;
  int scored = 0, failed = 0, hits = 0, calls = 0;
  double cost = 0, seconds = 0;
  for (const auto& item : all) {
    rows.push_back(item.result.row_index);
    scored += item.result.scores.empty() ? 0 : 1;
    failed += item.failure.empty() ? 0 : 1;
    hits += item.cache_hit ? 1 : 0;
    calls += item.calls;
    cost += item.cost;
    seconds += item.seconds;
  }
  return {std::string(queries::chunk_flushed.text),
          {plan.run_id, std::to_string(plan.number), pg::array(rows), std::to_string(scored),
           std::to_string(failed), std::to_string(hits), std::to_string(calls), csv_number(cost),
           csv_number(write_seconds), csv_number(seconds)}};
}

/// Those that were only paid for are not done.
int count_done(const items& all) {
  const auto done = [](const written_item& item) {
    return !item.result.scores.empty() || !item.failure.empty();
  };
  return static_cast<int>(std::count_if(all.begin(), all.end(), done));
}

/// Gathers items, and writes them as a step: once, and only under the lease of the chunk. Its
/// effects are the scores, and what the checkpoint says of them.
class score_writer {
 public:
  explicit score_writer(pipeline& all)
      : all_(all),
        when_(static_cast<std::size_t>(all.plan.config.flush_batch_size),
              all.plan.config.flush_time(), clock::now()),
        number_(all.plan.flushes),
        done_(all.plan.done) {}

  clock::time_point at_latest() const { return when_.at_latest(gathered_.size()); }
  void add(written_item item) { gathered_.push_back(std::move(item)); }

  asio::awaitable<void> flush_if_due(bool ended) {
    if (when_.due(gathered_.size(), ended, clock::now())) co_await flush();
  }

 private:
  asio::awaitable<void> flush() {
    const auto began = clock::now();
    ++number_;
    for (int tried = 1;; ++tried) {
      std::exception_ptr thrown;
      try {
        co_await store();
        break;
      } catch (const job_stopped&) {
        throw;
      } catch (const std::exception&) {
        thrown = std::current_exception();
      }
      // The items are kept, and a step that was stored after all is found stored.
      if (tried == flush_tries || all_.self.stop_requested()) std::rethrow_exception(thrown);
      co_await all_.self.sleep(flush_back_off(tried));
    }
    done_ += count_done(gathered_);
    gathered_.clear();
    when_.flushed(clock::now());
    last_write_ = std::chrono::duration<double>(clock::now() - began).count();
    const int rows = all_.plan.row_end - all_.plan.row_start + 1;
    co_await all_.self.progress(done_, rows * static_cast<int>(all_.plan.blocks.size()),
                                all_.chunk_name);
  }

  asio::awaitable<void> store() {
    const std::function<asio::awaitable<step_result>()> body = [this] { return effects(); };
    co_await all_.self.step(flush_name(number_), body);
  }

  asio::awaitable<step_result> effects() {
    step_result out;
    out.value = gathered_.size();
    out.effects.push_back(scores_effect(all_.plan.run_id, gathered_));
    const auto failed = [](const written_item& item) { return !item.failure.empty(); };
    if (std::any_of(gathered_.begin(), gathered_.end(), failed)) {
      out.effects.push_back(failures_effect(all_.plan.run_id, gathered_));
    }
    out.effects.push_back(counts_effect(all_.plan, gathered_, last_write_));
    co_return out;
  }

  pipeline& all_;
  flush_plan when_;
  items gathered_;
  int number_;
  int done_;
  double last_write_ = 0;
};

}  // namespace

asio::awaitable<void> run_writer(std::shared_ptr<pipeline> all) {
  score_writer out(*all);
  while (!all->writer.drained()) {
    auto item = co_await all->writer.pop(out.at_latest());
    if (item) out.add(std::move(*item));
    co_await out.flush_if_due(false);
  }
  co_await out.flush_if_due(true);
}

}  // namespace rowrunner::scoring
