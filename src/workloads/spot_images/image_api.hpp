#pragma once

#include "workloads/spot_images/provider.hpp"

namespace rowrunner::spot_images {

struct image_api_options {
  /// Up to and without /images/generations.
  std::string base_url;
  std::string key;
  std::string model;
  std::string size;
  std::chrono::milliseconds timeout;
};

/// IMAGE_API_BASE_URL, IMAGE_API_KEY (needed), IMAGE_API_MODEL, IMAGE_API_SIZE, IMAGE_API_TIMEOUT
/// (seconds). Throws usage_error, naming the variable; also for a server that would get the key
/// over plain http and is not on this machine.
image_api_options image_api_settings(const environment& env);

/// Any endpoint that speaks the OpenAI images API.
class image_api : public provider {
 public:
  /// A picture larger than this is refused, so that memory stays bounded.
  static constexpr std::size_t max_picture = 20 * 1024 * 1024;
  /// The same in base64, and what stands around it.
  static constexpr std::size_t max_answer = max_picture / 3 * 4 + 64 * 1024;

  /// Both must live longer. The API's own address comes from the settings; a picture's address that
  /// the API names goes through `outbound`.
  image_api(image_api_options options, http::client& http, http::guarded_client& outbound)
      : options_(std::move(options)), http_(http), outbound_(outbound) {}

  boost::asio::awaitable<std::string> generate(job& self, picture_request wanted) override;

 private:
  boost::asio::awaitable<http::response> ask_api(http::request wanted);
  boost::asio::awaitable<std::string> download(std::string url);

  const image_api_options options_;
  http::client& http_;
  http::guarded_client& outbound_;
};

/// What an answer of the API says: the picture itself, or where it is.
struct image_answer {
  std::string picture;
  std::string url;
};

/// Reads the answer; throws provider_error for anything but a picture, by its status: 429 and 5xx
/// may be asked again, a refusal of the content and other 4xx not.
image_answer read_image_answer(const http::response& answer);

/// Throws provider_error unless the bytes are one whole PNG file: every chunk there, every checksum
/// right.
void check_png(std::string_view bytes);

}  // namespace rowrunner::spot_images
