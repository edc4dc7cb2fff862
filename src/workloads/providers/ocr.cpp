#include "workloads/providers/ocr.hpp"

#include "common/errors.hpp"
#include "workloads/providers/gemini.hpp"
#include "workloads/providers/tesseract.hpp"

namespace rowrunner::providers {

std::unique_ptr<ocr_provider> make_ocr_provider(workload_services& all, const std::string& wanted) {
  const bool has_key = all.env.get("GEMINI_API_KEY").has_value();
  const std::string name = !wanted.empty() ? wanted : has_key ? "gemini" : "tesseract";
  if (name == "tesseract") {
    const auto languages = all.env.get("TESSERACT_LANGUAGES").value_or("jpn+eng");
    return std::make_unique<tesseract>(all.children, languages);
  }
  if (name == "gemini") {
    return std::make_unique<gemini>(gemini_settings(all.env), all.http, all.children, all.files,
                                    &all.limits);
  }
  throw usage_error("OCR_PROVIDER must be tesseract or gemini, not '" + name + "'");
}

}  // namespace rowrunner::providers
