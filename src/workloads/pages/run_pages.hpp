#pragma once

#include <boost/asio/awaitable.hpp>
#include <functional>
#include <rowrunner/job.hpp>
#include <rowrunner/outcome.hpp>
#include <string>
#include <vector>

namespace rowrunner::pages {

namespace asio = boost::asio;

struct page_options {
  int total = 0;
  /// Pages that run at the same time.
  int concurrency = 1;
  /// How often a page is tried before it counts as failed in this attempt of the job.
  int tries = 5;
};

struct page_failure {
  int page = 0;
  std::string error;
};

/// Reads one page. Its result and effects (the text, the row, the delivery) are stored together.
using page_body = std::function<asio::awaitable<step_result>(int page)>;
/// What is to be written about a page that failed after its tries. May be empty.
using page_failed_body =
    std::function<asio::awaitable<step_result>(int page, const std::string& error)>;

/// Runs every page that has no step yet ("page-0001" …), side by side, and reports the progress. A
/// page that fails after its tries is in the answer, by number, and the others go on; a later
/// attempt of the job tries it again. A provider_error that is final is not tried again, and its
/// `after`, of ten minutes at most, is waited for. A stop or a lost lease ends all, by an exception
/// that the handler must let pass; so does service_busy, for which the handler gives the job back.
asio::awaitable<std::vector<page_failure>> run_pages(job& self, page_options options,
                                                     page_body body,
                                                     page_failed_body on_failed = {});

/// The name of a page's step: "page-0001".
std::string page_step(int page);

}  // namespace rowrunner::pages
