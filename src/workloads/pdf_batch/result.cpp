#include "workloads/pdf_batch/result.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <ctime>

#include "common/text.hpp"

namespace rowrunner::pdf_batch {
namespace {

constexpr std::size_t most_of_page = 64 * 1024;
constexpr std::size_t most_of_all = 32 * 1024 * 1024;

using nlohmann::json;
using nlohmann::ordered_json;

}  // namespace

std::size_t text_bytes_per_page(int pages) {
  return std::min(most_of_page, most_of_all / static_cast<std::size_t>(std::max(pages, 1)));
}

json page_json(const pdf::page_analysis& page, std::size_t max_text) {
  json out;
  out["page"] = page.page;
  out["width_pt"] = page.width_pt;
  out["height_pt"] = page.height_pt;
  out["rotation"] = page.rotation;
  out["words"] = page.words;
  out["characters"] = page.characters;
  out["images"] = page.images;
  out["text"] = printable(page.text, max_text);
  if (page.text.size() > max_text) out["text_truncated"] = true;
  return out;
}

std::string result_text(const std::string& job_id, const std::vector<json>& pages,
                        std::chrono::system_clock::time_point started,
                        std::chrono::system_clock::time_point ended) {
  const double seconds = std::chrono::duration<double>(ended - started).count();
  ordered_json out{{"job_id", job_id},
                   {"pages", pages.size()},
                   {"processed_at", iso_time(ended)},
                   {"processing_time_seconds", std::max(0.0, std::round(seconds * 100) / 100)}};
  out["page_details"] = pages;
  return out.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

std::string iso_time(std::chrono::system_clock::time_point when) {
  using namespace std::chrono;
  const auto whole = floor<seconds>(when);
  const auto micros = duration_cast<microseconds>(when - whole).count();
  const std::time_t at = system_clock::to_time_t(whole);
  std::tm parts{};
  gmtime_r(&at, &parts);
  std::array<char, 64> out{};
  const int size =
      std::snprintf(out.data(), out.size(), "%04d-%02d-%02dT%02d:%02d:%02d.%06dZ",
                    parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday, parts.tm_hour,
                    parts.tm_min, parts.tm_sec, static_cast<int>(micros));
  return {out.data(), static_cast<std::size_t>(size)};
}

}  // namespace rowrunner::pdf_batch
