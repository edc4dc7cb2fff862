#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

/// PDF files for the tests.
namespace rowrunner::testing {

using page_lines = std::vector<std::string>;

/// A4 pages with the lines as text, 14 points high.
void write_text_pdf(const std::filesystem::path& to, const std::vector<page_lines>& pages);

/// The same pages as they come from a scanner: pictures of 200 dpi, slightly turned, with noise.
void write_scanned_pdf(const std::filesystem::path& to, const std::vector<page_lines>& pages,
                       std::uint32_t seed = 1);

/// A page of this size in points, with nothing on it.
void write_empty_page_pdf(const std::filesystem::path& to, double width, double height);

/// A file of these objects, numbered from 1, with a correct table of contents; the first is the
/// catalog.
std::string pdf_of(const std::vector<std::string>& objects);

std::string read_all(const std::filesystem::path& from);
void write_all(const std::filesystem::path& to, const std::string& text);

/// Of all characters but white space: the share of `truth` that is not as in `read`, by the
/// fewest insertions, deletions and changes.
double character_error_rate(const std::string& truth, const std::string& read);

/// Japanese and English, as in business letters; `page` chooses.
page_lines letter(std::size_t page);

}  // namespace rowrunner::testing
