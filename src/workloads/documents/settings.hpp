#pragma once

#include <cstdint>

#include "common/environment.hpp"

namespace rowrunner::documents {

/// DOCUMENT_MAX_MB: the largest file that is taken. Throws usage_error, as all of these do.
std::uint64_t largest_document(const environment& env);

/// OCR_DPI: how finely pages are rendered to be read.
int reading_dpi(const environment& env);

/// OCR_PAGES_AT_ONCE: the pages of one job that are read side by side.
int pages_at_once(const environment& env);

}  // namespace rowrunner::documents
