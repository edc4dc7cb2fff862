#include "workloads/providers/tesseract.hpp"

#include "workloads/pdf/pdf.hpp"

namespace rowrunner::providers {

using nlohmann::json;
using clock = std::chrono::steady_clock;

provider_error as_provider_error(const child::error& why) {
  const bool may_pass =
      why.why == child::failure::unavailable || why.why == child::failure::crashed;
  return provider_error(why.what(), !may_pass);
}

tesseract::tesseract(child::pool& children, std::string languages)
    : children_(children), languages_(std::move(languages)) {}

asio::awaitable<page_text> tesseract::read(const job_view&, page_input page) {
  pdf::read_options how;
  how.languages = languages_;
  how.dpi = page.dpi;
  const auto begun = clock::now();
  std::optional<pdf::page_reading> found;
  try {
    found = co_await pdf::read_page(children_, page.file, page.page, how);
  } catch (const child::error& why) {
    throw as_provider_error(why);
  }
  const auto taken = std::chrono::duration_cast<std::chrono::milliseconds>(clock::now() - begun);
  page_text out;
  out.text = std::move(found->text);
  out.is_order = !found->blank;
  if (!found->blank) out.confidence = found->confidence;
  out.words = json(found->words);
  out.meta = json{{"provider", "tesseract"},     {"model", "tesseract:" + languages_},
                  {"durationMs", taken.count()}, {"tokensInput", 0},
                  {"tokensOutput", 0},           {"width", found->width},
                  {"height", found->height},     {"dpi", found->dpi}};
  co_return out;
}

}  // namespace rowrunner::providers
