#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace rowrunner::testing {

/// A PDF with one A5 page for each text, written large enough to be read at a low resolution.
std::string text_pdf(const std::vector<std::string>& pages);

/// A PDF of these objects, numbered from 1; the first is the catalog.
std::string pdf_of(const std::vector<std::string>& objects);

std::string read_file(const std::filesystem::path& from);
void write_file(const std::filesystem::path& to, const std::string& bytes);

}  // namespace rowrunner::testing
