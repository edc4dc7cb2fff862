#include "workloads/spot_images/image_api.hpp"

#include <openssl/evp.h>
#include <zlib.h>

#include <charconv>
#include <nlohmann/json.hpp>

#include "common/errors.hpp"
#include "common/foreign_json.hpp"
#include "common/http/url.hpp"
#include "common/text.hpp"

namespace rowrunner::spot_images {

namespace asio = boost::asio;
using nlohmann::json;

namespace {

constexpr std::string_view png_signature{"\x89PNG\r\n\x1a\n", 8};

std::uint32_t big_endian(std::string_view bytes) {
  std::uint32_t value = 0;
  for (const char c : bytes.substr(0, 4)) value = value << 8 | static_cast<unsigned char>(c);
  return value;
}

std::string decode_base64(const std::string& text) {
  if (text.size() % 4 != 0) throw provider_error("the answer's picture is not base64");
  std::string bytes(text.size() / 4 * 3, '\0');
  const int size = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                                   reinterpret_cast<const unsigned char*>(text.data()),
                                   static_cast<int>(text.size()));
  if (size < 0) throw provider_error("the answer's picture is not base64");
  // EVP_DecodeBlock counts the padding as zero bytes.
  const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  bytes.resize(static_cast<std::size_t>(size) - padding);
  return bytes;
}

/// The API's own words about an error, if the body has them: usually
/// {"error": {"message": "…"}}, of other servers also {"error": "…"}.
std::string api_message(const http::response& answer) {
  const auto body = foreign_json_or_null(answer.body);
  if (!body.is_object() || !body.contains("error")) return "";
  const auto& error = body["error"];
  const auto words = error.is_object() ? text_member(error, "message") : text_member(body, "error");
  return words.empty() ? "" : ": " + printable(words, 500);
}

[[noreturn]] void refuse(const http::response& answer) {
  const std::string what =
      "the image API answered " + std::to_string(answer.status) + api_message(answer);
  const bool busy = answer.status == 429 || answer.status == 408 || answer.status >= 500;
  throw provider_error(what, !busy, busy ? http::retry_after(answer) : std::nullopt);
}

json parse_answer(const std::string& text) {
  try {
    return parse_foreign_json(text, {image_api::max_answer, 16, 10'000});
  } catch (const foreign_json_error& why) {
    throw provider_error(std::string("the image API answered 200 without a picture: its answer ") +
                         why.what());
  }
}

}  // namespace

image_api_options image_api_settings(const environment& env) {
  const auto key = env.get("IMAGE_API_KEY");
  if (!key) throw usage_error("IMAGE_PROVIDER=http needs IMAGE_API_KEY");
  const auto seconds = env.get("IMAGE_API_TIMEOUT").value_or("120");
  int timeout = 0;
  const auto [end, error] =
      std::from_chars(seconds.data(), seconds.data() + seconds.size(), timeout);
  if (error != std::errc{} || end != seconds.data() + seconds.size() || timeout < 1 ||
      timeout > 3600) {
    throw usage_error("IMAGE_API_TIMEOUT must be a number of seconds from 1 to 3600");
  }
  auto base = env.get("IMAGE_API_BASE_URL").value_or("https://api.openai.com/v1");
  while (base.ends_with('/')) base.pop_back();
  try {
    http::check_private(http::parse_url(base).server, "IMAGE_API_BASE_URL");
  } catch (const http::error& why) {
    throw usage_error(std::string("IMAGE_API_BASE_URL: ") + why.what());
  }
  return {base, *key, env.get("IMAGE_API_MODEL").value_or("gpt-image-1"),
          env.get("IMAGE_API_SIZE").value_or("1024x1024"), std::chrono::seconds{timeout}};
}

asio::awaitable<std::string> image_api::generate(job& self, picture_request wanted) {
  http::request ask(options_.base_url + "/images/generations", "POST");
  ask.headers.add("Authorization", "Bearer " + options_.key);
  ask.headers.add("Content-Type", "application/json");
  // The same in every attempt of this job: a server that knows it does not charge twice.
  ask.headers.add("Idempotency-Key", self.key("generate"));
  ask.body = json{
      {"model", options_.model},
      {"prompt", wanted.prompt},
      {"size", options_.size},
      {"n", 1}}.dump();
  ask.timeout = options_.timeout;
  ask.max_body = max_answer;
  const auto answer = co_await ask_api(std::move(ask));
  auto read = read_image_answer(answer);
  if (read.picture.empty()) read.picture = co_await download(read.url);
  check_png(read.picture);
  co_return std::move(read.picture);
}

asio::awaitable<http::response> image_api::ask_api(http::request wanted) {
  try {
    co_return co_await http_.send(std::move(wanted));
  } catch (const http::error& e) {
    throw provider_error(e.what(), !http::is_temporary(e.kind()));
  }
}

asio::awaitable<std::string> image_api::download(std::string url) {
  http::request get(std::move(url));
  get.timeout = options_.timeout;
  get.max_body = max_picture;
  get.follow_redirects = 3;
  try {
    auto answer = co_await outbound_.send(std::move(get));
    if (answer.ok()) co_return std::move(answer.body);
    throw provider_error("the picture's address answered " + std::to_string(answer.status));
  } catch (const http::error& e) {
    throw provider_error(std::string("the picture's address: ") + e.what(),
                         !http::is_temporary(e.kind()));
  }
}

image_answer read_image_answer(const http::response& answer) {
  if (!answer.ok()) refuse(answer);
  const auto body = parse_answer(answer.body);
  if (!body.is_object() || !body.contains("data") || !body["data"].is_array() ||
      body["data"].empty() || !body["data"][0].is_object()) {
    throw provider_error("the image API answered 200 without a picture");
  }
  const auto& first = body["data"][0];
  if (first.contains("b64_json") && first["b64_json"].is_string()) {
    return {decode_base64(first["b64_json"].get<std::string>()), ""};
  }
  if (first.contains("url") && first["url"].is_string())
    return {"", first["url"].get<std::string>()};
  throw provider_error("the image API answered 200 without a picture");
}

void check_png(std::string_view bytes) {
  if (!bytes.starts_with(png_signature)) throw provider_error("the picture is not a PNG file");
  auto rest = bytes.substr(png_signature.size());
  for (bool first = true;; first = false) {
    if (rest.size() < 12) throw provider_error("the picture is cut off");
    const std::size_t length = big_endian(rest);
    if (rest.size() - 12 < length) throw provider_error("the picture is cut off");
    const auto type = rest.substr(4, 4);
    if (first && type != "IHDR") throw provider_error("the picture is not a PNG file");
    const auto* checked = reinterpret_cast<const Bytef*>(rest.data() + 4);
    const auto sum = crc32(0, checked, static_cast<uInt>(length + 4));
    if (sum != big_endian(rest.substr(8 + length))) throw provider_error("the picture is damaged");
    if (type == "IEND") return;
    rest.remove_prefix(12 + length);
  }
}

}  // namespace rowrunner::spot_images
