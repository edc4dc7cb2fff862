#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <rowrunner/worker.hpp>
#include <string>
#include <vector>

#include "workloads/pages/run_pages.hpp"
#include "workloads/providers/ocr.hpp"
#include "workloads/services.hpp"
#include "workloads/workload.hpp"

namespace rowrunner::documents {

/// Reads the pages of a document. Each page is a step that carries its row, so that a retry, a
/// restart or another worker goes on with the missing ones; a page that cannot be read fails the
/// job when all others have been read.
class handler {
 public:
  /// Throws usage_error for settings that make no sense. The services must live longer.
  explicit handler(workload_services& all);
  /// With a provider of a test.
  handler(workload_services& all, std::unique_ptr<providers::ocr_provider> ocr);

  boost::asio::awaitable<outcome> run(job& self);

 private:
  struct stored_document {
    std::string key;
    int pages = 0;
  };

  boost::asio::awaitable<outcome> read_document(job& self);
  boost::asio::awaitable<std::optional<stored_document>> find_document(job& self);
  boost::asio::awaitable<step_result> read_page(job self, std::filesystem::path file, int page,
                                                int total);

  workload_services& all_;
  const std::unique_ptr<providers::ocr_provider> ocr_;
  const int dpi_;
  const int at_once_;
  const std::uint64_t largest_;
};

/// What a job with these failed pages says: the first error, and which pages.
std::string failure_text(const std::vector<pages::page_failure>& failures);

/// The handler of the kind document, with the options that it needs.
handler_entry document_handler();

}  // namespace rowrunner::documents
