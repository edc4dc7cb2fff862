#include "workloads/pdf_batch/support/pdf_files.hpp"

#include <cstdio>
#include <vector>

namespace rowrunner::testing {
namespace {

/// Counts where each object begins.
class pdf_writer {
 public:
  void add(const std::string& object) {
    begins_.push_back(out_.size());
    out_ += std::to_string(begins_.size()) + " 0 obj\n" + object + "\nendobj\n";
  }

  std::string finish() {
    const auto table = out_.size();
    const auto size = std::to_string(begins_.size() + 1);
    out_ += "xref\n0 " + size + "\n0000000000 65535 f \n";
    for (const auto at : begins_) {
      char line[32];
      std::snprintf(line, sizeof line, "%010zu 00000 n \n", at);
      out_ += line;
    }
    return out_ + "trailer\n<< /Size " + size + " /Root 1 0 R >>\nstartxref\n" +
           std::to_string(table) + "\n%%EOF\n";
  }

 private:
  std::string out_ = "%PDF-1.4\n";
  std::vector<std::size_t> begins_;
};

}  // namespace

std::string make_pdf(int pages) {
  pdf_writer file;
  std::string kids;
  for (int page = 0; page < pages; ++page) kids += std::to_string(4 + 2 * page) + " 0 R ";
  file.add("<< /Type /Catalog /Pages 2 0 R >>");
  file.add("<< /Type /Pages /Count " + std::to_string(pages) + " /Kids [" + kids + "] >>");
  file.add("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>");
  for (int page = 0; page < pages; ++page) {
    const std::string text =
        "BT /F1 24 Tf 72 700 Td (Page " + std::to_string(page + 1) + " has five words) Tj ET";
    file.add("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents " +
             std::to_string(5 + 2 * page) + " 0 R /Resources << /Font << /F1 3 0 R >> >> >>");
    file.add("<< /Length " + std::to_string(text.size()) + " >>\nstream\n" + text + "\nendstream");
  }
  return file.finish();
}

}  // namespace rowrunner::testing
