#pragma once

#include <boost/asio/thread_pool.hpp>
#include <map>
#include <memory>
#include <rowrunner/worker.hpp>
#include <string>
#include <utility>

#include "common/environment.hpp"
#include "common/http/client.hpp"
#include "common/offload.hpp"
#include "workloads/scoring/models/model.hpp"
#include "workloads/scoring/pipeline/pipeline.hpp"

namespace rowrunner::scoring {

/// Scores chunks, each in a pipeline of its own. Models, gates and threads are shared by all chunks
/// of the process.
class chunk_handler {
 public:
  /// The services and the limits must live longer.
  chunk_handler(services& engine, environment env, limits::service& limits);

  asio::awaitable<outcome> run(job& self);

 private:
  struct shared_model {
    std::unique_ptr<scoring::model> model;
    std::shared_ptr<call_gate> gate;
  };

  asio::awaitable<outcome> score(job& self);
  asio::awaitable<std::shared_ptr<budget>> budget_for(job& self, std::string run_id,
                                                      const model& of);
  shared_model& model_for(const std::string& provider, const std::string& name, int concurrency);

  services& engine_;
  const environment env_;
  limits::service& limits_;
  const int cores_;
  asio::thread_pool threads_;
  const offload cpu_;
  http::client http_;
  const std::shared_ptr<question_board> questions_;
  std::map<std::pair<std::string, std::string>, shared_model> models_;
  /// By run; gone with the last chunk that uses it.
  std::map<std::string, std::weak_ptr<budget>> budgets_;
};

/// What a chunk's report means for its job.
outcome outcome_of(const chunk_report& report, const run_config& config, int attempt);

/// Of the kind scoring_chunk.
kind_options chunk_options();

}  // namespace rowrunner::scoring
