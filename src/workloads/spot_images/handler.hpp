#pragma once

#include <memory>
#include <rowrunner/worker.hpp>
#include <string>

#include "common/environment.hpp"
#include "workloads/spot_images/poster.hpp"

namespace rowrunner::spot_images {

/// Makes the picture of one spot: prompt, generate, upload, each a durable step, so that a crash
/// after a paid generation does not pay again. The picture's address is saved by an effect, in the
/// transaction that ends the job.
class handler {
 public:
  /// Throws usage_error for settings that make no sense, and storage::error if the storage cannot
  /// be written.
  handler(std::string database_url, bool pooled, environment env,
          std::shared_ptr<const logger> log);
  ~handler();

  boost::asio::awaitable<outcome> run(job& self);

 private:
  /// What needs the engine's executor, which is known when the first job runs.
  struct outside;

  boost::asio::awaitable<outcome> make_picture(job& self);
  boost::asio::awaitable<std::optional<place_text>> read_spot(job& self);
  boost::asio::awaitable<nlohmann::json> generate(job& self, place_text place, std::string prompt);
  boost::asio::awaitable<nlohmann::json> upload(job& self, std::string draft, place_text place,
                                                std::string prompt);
  boost::asio::awaitable<void> discard(std::string draft);

  const std::string database_url_;
  const bool pooled_;
  const environment env_;
  const std::shared_ptr<const logger> log_;
  std::unique_ptr<outside> outside_;
};

/// The words that a picture is asked for with.
std::string prompt_for(const place_text& place);

/// Gives the worker the kind spot_image.
void add_to(worker& process, kind_options options, const worker_options& about,
            const environment& env);

}  // namespace rowrunner::spot_images
