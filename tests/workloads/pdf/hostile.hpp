#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace rowrunner::testing {

struct hostile_file {
  std::string name;
  std::string text;
};

/// Broken and malicious files: those that are known to hurt, then truncations, flipped bits, lost
/// and repeated pieces and changed numbers of good ones. The same for the same seed.
std::vector<hostile_file> hostile_files(const std::vector<std::string>& good, std::size_t count,
                                        std::uint32_t seed);

/// A page of 600,000 × 600,000 points: 6 million megapixels at 300 dpi.
std::string pdf_of_a_huge_page();
/// Its catalog claims so many pages.
std::string pdf_that_claims(int pages);
/// As many pages as that, really: each is named again and again by nested nodes.
std::string pdf_of_many_pages(int pages);
/// A content of so many megabytes once it is inflated, twice over.
std::string pdf_bomb(int megabytes);
/// Protected by a password.
std::string encrypted_pdf();

}  // namespace rowrunner::testing
