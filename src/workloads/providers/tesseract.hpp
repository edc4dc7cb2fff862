#pragma once

#include "common/child/pool.hpp"
#include "workloads/providers/ocr.hpp"

namespace rowrunner::providers {

/// Reads on this machine, in a child process, in the languages of TESSERACT_LANGUAGES (jpn+eng).
class tesseract : public ocr_provider {
 public:
  tesseract(child::pool& children, std::string languages);

  asio::awaitable<page_text> read(const job_view& self, page_input page) override;
  std::string_view name() const override { return "tesseract"; }

 private:
  child::pool& children_;
  const std::string languages_;
};

/// What a failed child means for the page: only a child that could not be had, or that died, is
/// worth another try.
provider_error as_provider_error(const child::error& why);

}  // namespace rowrunner::providers
