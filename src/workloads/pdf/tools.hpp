#pragma once

#include <nlohmann/json.hpp>

/// What runs inside of a child. Each takes {"files": [descriptor, …]} and what it says besides, and
/// throws to refuse the file.
namespace rowrunner::pdf {

/// → the number of pages
nlohmann::json count_tool(const nlohmann::json& arguments);

/// first, last → [page_analysis, …]
nlohmann::json analyse_tool(const nlohmann::json& arguments);

/// page; the second file gets a PDF of that page
nlohmann::json extract_tool(const nlohmann::json& arguments);

/// page, dpi; the second file gets a PNG image
nlohmann::json render_tool(const nlohmann::json& arguments);

/// page, languages, dpi, segmentation, data → page_reading
nlohmann::json read_tool(const nlohmann::json& arguments);

/// The second file has the readings as JSON, the third gets the PDF with their text.
nlohmann::json searchable_tool(const nlohmann::json& arguments);

/// The number of a descriptor that came with the request.
int file_of(const nlohmann::json& arguments, std::size_t index);

}  // namespace rowrunner::pdf
