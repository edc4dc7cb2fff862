#pragma once

#include <cstdint>
#include <string>
#include <string_view>

/// What is done with the text of a page; without I/O.
namespace rowrunner::pdf {

/// Runs of characters between white space, the ideographic space included.
std::int64_t count_words(std::string_view text);

/// Characters that are no white space.
std::int64_t count_characters(std::string_view text);

/// Tesseract separates what it recognised by spaces, which Japanese does not have: those between
/// two Japanese characters are removed, those beside Latin letters and digits stay. Line ends stay.
std::string without_japanese_spaces(std::string_view text);

/// Without white space at the ends of lines, more than one empty line in a row, and empty lines at
/// the beginning and at the end.
std::string tidy(std::string_view text);

}  // namespace rowrunner::pdf
