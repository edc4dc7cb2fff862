#pragma once

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "workloads/pdf/pdf.hpp"

namespace rowrunner::pdf_batch {

/// How much text of each page a result has, so that a document of many pages stays within what one
/// file may be: at most 64 KiB a page and 32 MiB in all.
std::size_t text_bytes_per_page(int pages);

/// What is kept of a page. Text that is longer than `max_text` is cut, and says so.
nlohmann::json page_json(const pdf::page_analysis& page, std::size_t max_text);

/// The document's fields of a result, and the pages besides.
std::string result_text(const std::string& job_id, const std::vector<nlohmann::json>& pages,
                        std::chrono::system_clock::time_point started,
                        std::chrono::system_clock::time_point ended);

/// "2026-02-12T06:35:30.000000Z"
std::string iso_time(std::chrono::system_clock::time_point when);

}  // namespace rowrunner::pdf_batch
