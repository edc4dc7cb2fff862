#pragma once

#include <boost/asio/awaitable.hpp>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <rowrunner/job.hpp>
#include <string>
#include <string_view>

#include "workloads/providers/error.hpp"
#include "workloads/services.hpp"

namespace rowrunner::providers {

namespace asio = boost::asio;

/// One page that is to be read. Make it as a named variable, not inside of a co_await expression.
struct page_input {
  /// The whole PDF; the provider takes the page out of it.
  std::filesystem::path file;
  /// From 1 to `total`.
  int page = 1;
  int total = 1;
  /// What to do, for providers that understand words; empty: read all text as it stands.
  std::string prompt{};
  /// Lists that help to read, such as names of customers: each member is one, a text. They may be
  /// large, so the pages of a job share them. May be empty.
  std::shared_ptr<const nlohmann::json> masters{};
  /// model, temperature, topP, topK, maxOutputTokens, for providers that have them; or null.
  nlohmann::json settings{};
  int dpi = 300;
  /// The page goes out as a picture instead of as a PDF.
  bool as_image = false;
};

struct page_text {
  std::string text;
  /// False: the page is blank, or the provider has marked it as no order.
  bool is_order = true;
  /// From 0 to 100.
  std::optional<double> confidence;
  /// Each word with text, confidence and box, where the provider tells them: an array, or null.
  nlohmann::json words;
  /// provider, model, token counts, durationMs: whatever the provider tells of its work.
  nlohmann::json meta;
};

/// Reads pages. A provider may read any number of pages at a time.
class ocr_provider {
 public:
  ocr_provider() = default;
  virtual ~ocr_provider() = default;
  ocr_provider(const ocr_provider&) = delete;
  ocr_provider& operator=(const ocr_provider&) = delete;

  /// Throws provider_error. Cancelling it stops the work, also that of a child process.
  virtual asio::awaitable<page_text> read(const job_view& self, page_input page) = 0;
  virtual std::string_view name() const = 0;
};

/// "tesseract" (reads on this machine, without any key), "gemini", or "": gemini if there is a
/// GEMINI_API_KEY, and tesseract otherwise. Throws usage_error, naming the variable. The services
/// must live longer than the provider.
std::unique_ptr<ocr_provider> make_ocr_provider(workload_services& all, const std::string& wanted);

}  // namespace rowrunner::providers
