#include "workloads/spot_images/provider.hpp"

#include "common/errors.hpp"
#include "workloads/spot_images/image_api.hpp"

namespace rowrunner::spot_images {

namespace {

/// The embedded default: paints the place itself, without any key or network.
class poster_provider : public provider {
 public:
  boost::asio::awaitable<std::string> generate(job& self, picture_request wanted) override {
    const std::function<std::string()> paint = [place = wanted.place] {
      return paint_poster(place);
    };
    co_return co_await self.blocking(paint);
  }
};

}  // namespace

std::unique_ptr<provider> make_provider(const environment& env, http::client& http,
                                        http::guarded_client& outbound) {
  const std::string name = env.get("IMAGE_PROVIDER").value_or("poster");
  if (name == "poster") return std::make_unique<poster_provider>();
  if (name == "http") return std::make_unique<image_api>(image_api_settings(env), http, outbound);
  throw usage_error("IMAGE_PROVIDER must be poster or http, not '" + name + "'");
}

}  // namespace rowrunner::spot_images
