#pragma once

#include <poppler-document.h>
#include <poppler-page.h>

#include <memory>
#include <qpdf/QPDF.hh>
#include <qpdf/QPDFPageObjectHelper.hh>
#include <vector>

#include "workloads/pdf/foreign_file.hpp"

namespace rowrunner::pdf {

/// A PDF file as the libraries see it, each opened when it is first asked for. Inside of a child
/// only. Throws std::runtime_error with a reason for those who sent the file.
class open_document {
 public:
  explicit open_document(int fd);

  int pages();
  /// Of qpdf. Pages are counted from 1.
  QPDFPageObjectHelper page(int number);
  QPDF& structure();
  /// Of poppler, which reads and draws.
  std::unique_ptr<poppler::page> drawn_page(int number);

  const file_id& id() const noexcept { return id_; }

 private:
  const std::vector<QPDFPageObjectHelper>& all_pages();

  const file_id id_;
  const foreign_file file_;
  std::unique_ptr<QPDF> structure_;
  std::vector<QPDFPageObjectHelper> pages_;
  std::unique_ptr<poppler::document> drawn_;
};

/// The document of a descriptor. The last one stays open: a job asks page by page.
open_document& document_of(int fd);

}  // namespace rowrunner::pdf
