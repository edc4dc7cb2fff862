#pragma once

#include <boost/asio/awaitable.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <rowrunner/job.hpp>
#include <stdexcept>
#include <string>

#include "common/environment.hpp"
#include "common/http/client.hpp"
#include "common/http/guarded_client.hpp"
#include "workloads/spot_images/poster.hpp"

namespace rowrunner::spot_images {

/// What a picture is asked for with.
struct picture_request {
  picture_request(place_text where, std::string words)
      : place(std::move(where)), prompt(std::move(words)) {}

  place_text place;
  std::string prompt;
};

/// A picture could not be had.
struct provider_error : std::runtime_error {
  explicit provider_error(const std::string& what, bool is_final = false,
                          std::optional<std::chrono::milliseconds> wait = std::nullopt)
      : std::runtime_error(what), final(is_final), after(wait) {}

  /// Asking again gives the same answer.
  bool final;
  /// How long the other side asks to wait.
  std::optional<std::chrono::milliseconds> after;
};

/// Makes pictures.
class provider {
 public:
  provider() = default;
  virtual ~provider() = default;
  provider(const provider&) = delete;
  provider& operator=(const provider&) = delete;

  /// The bytes of a whole PNG file. Throws provider_error.
  virtual boost::asio::awaitable<std::string> generate(job& self, picture_request wanted) = 0;
};

/// IMAGE_PROVIDER: poster, the default, or http. Throws usage_error, naming the variable. The
/// clients must live longer than the provider.
std::unique_ptr<provider> make_provider(const environment& env, http::client& http,
                                        http::guarded_client& outbound);

}  // namespace rowrunner::spot_images
