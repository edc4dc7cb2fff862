#include "support/bucket_stand_in.hpp"

#include <openssl/evp.h>

#include <array>
#include <nlohmann/json.hpp>

#include "common/http/base64.hpp"
#include "common/http/url.hpp"

namespace rowrunner::testing {
namespace {

std::string md5(const std::string& bytes) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  EVP_Digest(bytes.data(), bytes.size(), digest.data(), &size, EVP_md5(), nullptr);
  return http::base64({reinterpret_cast<const char*>(digest.data()), size});
}

}  // namespace

bucket_stand_in::bucket_stand_in() {
  server_.on("POST /upload/storage/v1/b/pictures/o", [this](http_exchange& x) { upload(x); });
}

void bucket_stand_in::upload(http_exchange& exchange) {
  const auto& target = exchange.call().target;
  const auto name = http::percent_decode(target.substr(target.find("&name=") + 6));
  gate look;
  {
    const std::lock_guard hold(mutex_);
    look = gate_;
  }
  if (look && look(name, exchange)) return;
  const auto& bytes = exchange.call().body;
  {
    const std::lock_guard hold(mutex_);
    objects_[name] = bytes;
  }
  const auto path = "/storage/v1/b/pictures/o/" + http::percent_encode(name);
  for (const std::string method : {"GET ", "DELETE "}) {
    server_.on(method + path, [this, name](http_exchange& x) { serve(x, name); });
  }
  exchange.answer(200, nlohmann::json{{"name", name},
                                      {"size", std::to_string(bytes.size())},
                                      {"md5Hash", md5(bytes)}}
                           .dump());
}

void bucket_stand_in::serve(http_exchange& exchange, const std::string& name) {
  const auto found = object(name);
  if (exchange.call().method == "DELETE") {
    const std::lock_guard hold(mutex_);
    if (!deletes_) return exchange.answer(403, R"({"error":{"message":"no right to delete"}})");
    objects_.erase(name);
    return exchange.answer(204);
  }
  if (!found) return exchange.answer(404);
  exchange.answer(200, *found, {{"Content-Type", "image/png"}});
}

void bucket_stand_in::set_gate(gate what) {
  const std::lock_guard hold(mutex_);
  gate_ = std::move(what);
}

void bucket_stand_in::forbid_deletes() {
  const std::lock_guard hold(mutex_);
  deletes_ = false;
}

std::optional<std::string> bucket_stand_in::object(const std::string& name) const {
  const std::lock_guard hold(mutex_);
  const auto found = objects_.find(name);
  if (found == objects_.end()) return std::nullopt;
  return found->second;
}

void bucket_stand_in::erase(const std::string& name) {
  const std::lock_guard hold(mutex_);
  objects_.erase(name);
}

process_environment bucket_stand_in::settings() const {
  return {{"STORAGE_TYPE", "GCP"},
          {"GCS_BUCKET_NAME", "pictures"},
          {"STORAGE_EMULATOR_HOST", "127.0.0.1:" + std::to_string(server_.port())}};
}

}  // namespace rowrunner::testing
