#include "workloads/spot_images/support/image_api_stand_in.hpp"

#include <zlib.h>

#include <array>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "common/http/base64.hpp"

namespace rowrunner::testing {
namespace {

std::string big_endian(std::uint32_t value) {
  std::string out;
  for (const int shift : {24, 16, 8, 0}) out += static_cast<char>(value >> shift & 0xff);
  return out;
}

std::string chunk(const std::string& type, const std::string& content) {
  const std::string checked = type + content;
  const auto sum =
      crc32(0, reinterpret_cast<const Bytef*>(checked.data()), static_cast<uInt>(checked.size()));
  return big_endian(static_cast<std::uint32_t>(content.size())) + checked +
         big_endian(static_cast<std::uint32_t>(sum));
}

/// One row: its filter, and one grey pixel.
std::string compressed_pixel() {
  const std::array<Bytef, 2> row{0, 0x80};
  std::array<Bytef, 64> out{};
  uLongf size = out.size();
  if (compress(out.data(), &size, row.data(), row.size()) != Z_OK) {
    throw std::runtime_error("zlib cannot compress a pixel");
  }
  return {out.begin(), out.begin() + static_cast<std::ptrdiff_t>(size)};
}

/// The name of the place in the words of a request.
std::string place_in(const http_call& call) {
  const auto prompt = nlohmann::json::parse(call.body).at("prompt").get<std::string>();
  const std::string before = "A travel poster of ";
  const auto end = prompt.find(". Landscape");
  if (!prompt.starts_with(before) || end == std::string::npos) {
    throw std::runtime_error("no place in: " + prompt);
  }
  return prompt.substr(before.size(), end - before.size());
}

}  // namespace

std::string tiny_png(std::string_view text) {
  // One pixel, eight bits of grey.
  const std::string header = big_endian(1) + big_endian(1) + std::string("\x08\0\0\0\0", 5);
  return std::string("\x89PNG\r\n\x1a\n", 8) + chunk("IHDR", header) +
         chunk("tEXt", std::string("Title\0", 6) + std::string(text)) +
         chunk("IDAT", compressed_pixel()) + chunk("IEND", "");
}

std::string image_answer_body(std::string_view picture) {
  return R"({"created":1,"data":[{"b64_json":")" + http::base64(picture) + R"("}]})";
}

image_api_stand_in::image_api_stand_in(std::chrono::milliseconds each) : each_(each) {
  server_.on("POST /v1/images/generations", [this](http_exchange& x) { serve(x); });
}

void image_api_stand_in::answer_about(const std::string& spot, http_stand_in::route answer,
                                      int times) {
  const std::lock_guard hold(mutex_);
  places_[spot].answer = std::move(answer);
  places_[spot].times = times;
}

void image_api_stand_in::serve(http_exchange& exchange) {
  const auto name = place_in(exchange.call());
  http_stand_in::route instead;
  {
    const std::lock_guard hold(mutex_);
    auto& about = places_[name];
    if (about.asked++ < about.times) {
      instead = about.answer;
    } else {
      ++about.paid;
    }
  }
  if (instead) return instead(exchange);
  std::this_thread::sleep_for(each_);
  exchange.answer(200, image_answer_body(tiny_png(name)), {{"Content-Type", "application/json"}});
}

int image_api_stand_in::asked(const std::string& spot) const {
  const std::lock_guard hold(mutex_);
  const auto found = places_.find(spot);
  return found == places_.end() ? 0 : found->second.asked;
}

int image_api_stand_in::paid(const std::string& spot) const {
  const std::lock_guard hold(mutex_);
  const auto found = places_.find(spot);
  return found == places_.end() ? 0 : found->second.paid;
}

process_environment image_api_stand_in::settings() const {
  return {{"IMAGE_PROVIDER", "http"},
          {"IMAGE_API_KEY", "sk-hush"},
          {"IMAGE_API_BASE_URL", server_.url("/v1")},
          // Some answers name an address of this server.
          {"OUTBOUND_ALLOW", "127.0.0.1/32"}};
}

}  // namespace rowrunner::testing
