#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "common/child/pool.hpp"

/// What workloads do with PDF files. qpdf, poppler and tesseract run in child processes only.
/// Every function throws child::error: failure::refused with a message for an encrypted, broken,
/// empty or too large document, and the others for files that crash or exhaust the libraries.
/// Pages are counted from 1. A file that is written is whole or not there.
namespace rowrunner::pdf {

/// To be named in workload::child_tools.
std::vector<child::tool> tools();

/// A document with more pages is refused.
inline constexpr int max_pages = 10'000;
/// A page that would be rendered larger is refused.
inline constexpr double max_pixels = 50e6;

struct page_analysis {
  int page = 0;
  double width_pt = 0;
  double height_pt = 0;
  int rotation = 0;
  std::int64_t words = 0;
  std::int64_t characters = 0;
  std::int64_t images = 0;
  std::string text;
};

/// Its box in pixels of the rendered page, from the upper left.
struct word {
  std::string text;
  /// 0 to 100.
  double confidence = 0;
  int left = 0;
  int top = 0;
  int right = 0;
  int bottom = 0;
};

struct page_reading {
  std::string text;
  /// The mean of the words, 0 to 100.
  double confidence = 0;
  std::vector<word> words;
  /// Of the rendered page, in pixels.
  int width = 0;
  int height = 0;
  int dpi = 0;
  /// Nothing is on the page.
  bool blank = false;
};

struct read_options {
  std::string languages = "jpn+eng";
  int dpi = 300;
  /// A page segmentation mode of tesseract: 3 finds out by itself, 6 is one block of text.
  int segmentation = 3;
  /// Another folder of trained data than the system's. It must be in child::options::readable.
  std::string data;
};

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(page_analysis, page, width_pt, height_pt, rotation, words,
                                   characters, images, text)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(word, text, confidence, left, top, right, bottom)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(page_reading, text, confidence, words, width, height, dpi, blank)

namespace asio = boost::asio;
using std::filesystem::path;

asio::awaitable<int> count_pages(child::pool& children, path file);

asio::awaitable<page_analysis> analyse_page(child::pool& children, path file, int page);

/// First to last, both included, in one request.
asio::awaitable<std::vector<page_analysis>> analyse_pages(child::pool& children, path file,
                                                          int first, int last);

/// Writes a PDF of one page.
asio::awaitable<void> extract_page(child::pool& children, path file, int page, path out);

asio::awaitable<void> render_page(child::pool& children, path file, int page, int dpi,
                                  path out_png);

/// Renders the page and reads it with tesseract. Name the options before the co_await.
asio::awaitable<page_reading> read_page(child::pool& children, path file, int page,
                                        read_options how);

/// Writes the document with an invisible layer of text over its pages. The readings are a JSON
/// array: the page_reading of page 1, 2, …; null for pages that stay as they are.
asio::awaitable<void> searchable_pdf(child::pool& children, path file, path readings_json,
                                     path out);

}  // namespace rowrunner::pdf
