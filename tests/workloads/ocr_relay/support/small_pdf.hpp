#pragma once

#include <string>
#include <vector>

namespace rowrunner::testing {

/// A PDF file with these texts, one a page; an empty one is a blank page. Page n is 400 + n points
/// wide, so that a page which was taken out of it can be told.
inline std::string small_pdf(const std::vector<std::string>& pages) {
  std::vector<std::string> objects{"<< /Type /Catalog /Pages 2 0 R >>", "",
                                   "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"};
  std::string kids;
  for (std::size_t i = 0; i < pages.size(); ++i) {
    const auto page = objects.size() + 1;
    kids += std::to_string(page) + " 0 R ";
    objects.push_back("<< /Type /Page /Parent 2 0 R /MediaBox [ 0 0 " + std::to_string(401 + i) +
                      " 200 ] /Resources << /Font << /F1 3 0 R >> >> /Contents " +
                      std::to_string(page + 1) + " 0 R >>");
    const std::string drawn =
        pages[i].empty() ? " " : "BT /F1 28 Tf 30 100 Td (" + pages[i] + ") Tj ET";
    objects.push_back("<< /Length " + std::to_string(drawn.size()) + " >>\nstream\n" + drawn +
                      "\nendstream");
  }
  objects[1] =
      "<< /Type /Pages /Kids [ " + kids + "] /Count " + std::to_string(pages.size()) + " >>";
  std::string out = "%PDF-1.4\n";
  std::string table = "xref\n0 " + std::to_string(objects.size() + 1) + "\n0000000000 65535 f \n";
  for (std::size_t i = 0; i < objects.size(); ++i) {
    const auto at = std::to_string(out.size());
    table += std::string(10 - at.size(), '0') + at + " 00000 n \n";
    out += std::to_string(i + 1) + " 0 obj\n" + objects[i] + "\nendobj\n";
  }
  const auto start = std::to_string(out.size());
  return out + table + "trailer\n<< /Size " + std::to_string(objects.size() + 1) +
         " /Root 1 0 R >>\nstartxref\n" + start + "\n%%EOF\n";
}

}  // namespace rowrunner::testing
