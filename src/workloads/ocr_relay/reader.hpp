#pragma once

#include <memory>

#include "workloads/ocr_relay/submission.hpp"
#include "workloads/providers/ocr.hpp"
#include "workloads/services.hpp"
#include "workloads/workload.hpp"

namespace rowrunner::ocr_relay {

/// Reads the pages of one document. Each page is a step: its text, its row and its delivery come to
/// exist together, and a later attempt goes on with the pages that are missing.
class reader {
 public:
  /// Throws usage_error for settings that make no sense. The services must live longer.
  explicit reader(workload_services& all);

  boost::asio::awaitable<outcome> run(job& self);

 private:
  struct document_input {
    std::filesystem::path file;
    int pages = 0;
    std::shared_ptr<const nlohmann::json> masters;
  };

  boost::asio::awaitable<outcome> read_document(job& self);
  boost::asio::awaitable<int> count_pages(job& self, std::filesystem::path file);
  boost::asio::awaitable<std::shared_ptr<const nlohmann::json>> masters_of(const job& self);
  boost::asio::awaitable<step_result> read_page(const job& self, const document_input& document,
                                                int page);

  workload_services& all_;
  const std::unique_ptr<providers::ocr_provider> provider_;
  const std::uint64_t largest_file_;
};

/// The handler of the kind ocr_relay.
handler_entry relay_handler();

}  // namespace rowrunner::ocr_relay
