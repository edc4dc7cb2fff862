#pragma once

#include <string>

namespace rowrunner::testing {

/// A whole PDF file of so many pages in A4, on each of which stands "Page N has five words".
std::string make_pdf(int pages);

}  // namespace rowrunner::testing
