#pragma once

#include "common/child/pool.hpp"
#include "common/offload.hpp"
#include "workloads/limits/limits.hpp"
#include "workloads/providers/ocr.hpp"

namespace rowrunner::providers {

struct gemini_options {
  std::string base_url;
  std::string key;
  std::string model;
  std::chrono::milliseconds timeout;
  /// A page waits that long for calls to be taken.
  std::chrono::milliseconds patience = std::chrono::minutes(10);
};

/// GEMINI_API_KEY, GEMINI_MODEL, GEMINI_BASE_URL, REQUEST_TIMEOUT. Throws usage_error.
gemini_options gemini_settings(const environment& env);

/// Sends each page to models/{model}:generateContent, as a PDF of one page or as a picture.
class gemini : public ocr_provider {
 public:
  /// Each call waits for a permit of the key "gemini:MODEL", and one that is refused for now (429,
  /// or 503 with a time) for another; without limits it does not, and such a refusal is thrown.
  /// Throws service_busy if gemini_options::patience does not get it an answer.
  /// Requests are written by `files`.
  gemini(gemini_options options, http::client& http, child::pool& children, offload files,
         limits::service* shared);

  asio::awaitable<page_text> read(const job_view& self, page_input page) override;
  std::string_view name() const override { return "gemini"; }

 private:
  using moment = std::chrono::steady_clock::time_point;

  asio::awaitable<void> take_page_out(const page_input& page, std::filesystem::path out);
  asio::awaitable<std::optional<limits::held>> wait_for_permit(std::string key,
                                                               std::int64_t tokens);
  asio::awaitable<std::optional<limits::held>> permit(std::string key, std::int64_t tokens,
                                                      moment until);
  std::chrono::milliseconds time_of_block(const std::string& key) const;
  asio::awaitable<std::optional<page_text>> ask(std::shared_ptr<const page_input> page,
                                                std::string model, std::filesystem::path file,
                                                moment until);

  const gemini_options options_;
  http::client& http_;
  child::pool& children_;
  const offload files_;
  limits::service* const limits_;
};

}  // namespace rowrunner::providers
