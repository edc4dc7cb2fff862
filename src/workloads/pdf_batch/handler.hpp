#pragma once

#include <boost/asio/awaitable.hpp>
#include <filesystem>
#include <functional>
#include <rowrunner/job.hpp>

#include "workloads/pdf/pdf.hpp"
#include "workloads/services.hpp"
#include "workloads/workload.hpp"

namespace rowrunner::pdf_batch {

namespace asio = boost::asio;

/// A larger file is refused.
inline constexpr std::uint64_t max_pdf_bytes = std::uint64_t{512} << 20;

/// What it does with PDF files. In a worker these run in child processes.
struct pdf_calls {
  std::function<asio::awaitable<int>(std::filesystem::path)> count_pages;
  std::function<asio::awaitable<pdf::page_analysis>(std::filesystem::path, int)> analyse_page;
};

/// Runs the jobs of kind pdf_batch. What goes wrong is final, as the document wants it, unless it
/// says nothing of the file: without a child process the job waits, uncharged.
class handler {
 public:
  /// The services must live longer.
  handler(workload_services& all, pdf_calls calls);

  asio::awaitable<outcome> run(job& self);

 private:
  asio::awaitable<outcome> process(job& self);
  asio::awaitable<void> process_file(job& self, std::filesystem::path file,
                                     std::chrono::system_clock::time_point started);
  asio::awaitable<void> fetch(std::string key, std::filesystem::path to);
  asio::awaitable<nlohmann::json> open(job& self, std::filesystem::path file, std::string sha256,
                                       std::chrono::system_clock::time_point started);
  asio::awaitable<std::vector<nlohmann::json>> analyse(job& self, std::filesystem::path file,
                                                       int pages);
  asio::awaitable<void> write_result(job& self, std::vector<nlohmann::json> pages,
                                     std::chrono::system_clock::time_point started);
  outcome fail(const job& self, const std::string& stage, const std::string& reason);

  services& engine_;
  storage::store& storage_;
  const offload files_;
  const pdf_calls calls_;
  const int pages_at_a_time_;
};

/// The handler of this kind, for the table of handlers.
handler_entry pdf_batch_handler();

}  // namespace rowrunner::pdf_batch
