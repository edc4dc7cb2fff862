#pragma once

#include <memory>
#include <optional>
#include <rowrunner/worker.hpp>
#include <string>

#include "workloads/services.hpp"
#include "workloads/spot_images/provider.hpp"
#include "workloads/workload.hpp"

namespace rowrunner::spot_images {

/// Makes the picture of one spot: prompt, generate, upload, each a durable step, so that a crash
/// after a paid generation does not pay again. The picture's address is saved by an effect, in the
/// transaction that ends the job.
class handler {
 public:
  /// Throws usage_error for settings that make no sense. The services must live longer.
  explicit handler(workload_services& all);

  boost::asio::awaitable<outcome> run(job& self);

 private:
  boost::asio::awaitable<outcome> make_picture(job& self);
  boost::asio::awaitable<std::optional<place_text>> read_spot(job& self);
  boost::asio::awaitable<nlohmann::json> generate(job& self, place_text place, std::string prompt);
  boost::asio::awaitable<nlohmann::json> upload(job& self, std::string draft, place_text place,
                                                std::string prompt);
  boost::asio::awaitable<void> discard(std::string draft);

  services& engine_;
  storage::store& storage_;
  const std::unique_ptr<provider> pictures_;
};

/// The words that a picture is asked for with.
std::string prompt_for(const place_text& place);

/// The handler of the kind spot_image, with the options that it needs.
handler_entry spot_image_handler();

}  // namespace rowrunner::spot_images
