#include "workloads/pdf/open_document.hpp"

#include <poppler-global.h>

#include <algorithm>
#include <optional>
#include <qpdf/QPDFExc.hh>
#include <qpdf/QPDFPageDocumentHelper.hh>
#include <string>
#include <string_view>

#include "workloads/pdf/pdf.hpp"

namespace rowrunner::pdf {
namespace {

/// As readers do: the header may stand behind other bytes.
bool looks_like_pdf(std::span<const char> bytes) {
  const std::string_view start(bytes.data(), std::min<std::size_t>(bytes.size(), 1024));
  return start.find("%PDF-") != std::string_view::npos;
}

[[noreturn]] void refuse(const QPDFExc& problem) {
  if (problem.getErrorCode() == qpdf_e_password) {
    throw std::runtime_error("the PDF is encrypted: a password is needed to read it");
  }
  throw std::runtime_error("the PDF is damaged: " + problem.getMessageDetail());
}

/// What the catalog claims. It is not trusted, but a claim of a million pages is believed.
long long claimed_pages(QPDF& from) {
  auto root = from.getRoot().getKey("/Pages");
  if (!root.isDictionary() || !root.getKey("/Count").isInteger()) return 0;
  return root.getKey("/Count").getIntValue();
}

void check_count(long long count) {
  if (count > max_pages) {
    throw std::runtime_error("the PDF has " + std::to_string(count) + " pages; at most " +
                             std::to_string(max_pages) + " are read");
  }
}

void check_number(int page, int pages) {
  if (page < 1 || page > pages) {
    throw std::runtime_error("there is no page " + std::to_string(page) + ": the PDF has " +
                             std::to_string(pages));
  }
}

/// The page, if all pages stand in one list, as most programs write them: then the others need not
/// be looked at.
std::optional<QPDFObjectHandle> kid(QPDF& from, int number) {
  auto root = from.getRoot().getKey("/Pages");
  if (!root.isDictionary()) return std::nullopt;
  auto kids = root.getKey("/Kids");
  if (!kids.isArray() || kids.getArrayNItems() != claimed_pages(from)) return std::nullopt;
  if (number < 1 || number > kids.getArrayNItems()) return std::nullopt;
  auto found = kids.getArrayItem(number - 1);
  if (!found.isDictionaryOfType("/Page")) return std::nullopt;
  return found;
}

void ignore(const std::string&, void*) {}

}  // namespace

open_document::open_document(int fd) : id_(id_of(fd)), file_(fd) {
  if (!looks_like_pdf(file_.bytes())) throw std::runtime_error("the file is not a PDF");
}

QPDF& open_document::structure() {
  if (structure_) return *structure_;
  auto opened = std::make_unique<QPDF>();
  opened->setSuppressWarnings(true);
  try {
    opened->processMemoryFile("document", file_.bytes().data(), file_.bytes().size());
    check_count(claimed_pages(*opened));
  } catch (const QPDFExc& problem) {
    refuse(problem);
  }
  structure_ = std::move(opened);
  return *structure_;
}

const std::vector<QPDFPageObjectHelper>& open_document::all_pages() {
  if (!pages_.empty()) return pages_;
  std::vector<QPDFPageObjectHelper> found;
  try {
    found = QPDFPageDocumentHelper(structure()).getAllPages();
  } catch (const QPDFExc& problem) {
    refuse(problem);
  }
  if (found.empty()) throw std::runtime_error("the PDF has no pages");
  check_count(static_cast<long long>(found.size()));
  pages_ = std::move(found);
  return pages_;
}

int open_document::pages() { return static_cast<int>(all_pages().size()); }

QPDFPageObjectHelper open_document::page(int number) {
  if (const auto found = kid(structure(), number)) return QPDFPageObjectHelper(*found);
  check_number(number, pages());
  return all_pages()[static_cast<std::size_t>(number) - 1];
}

std::unique_ptr<poppler::page> open_document::drawn_page(int number) {
  if (!drawn_) {
    poppler::set_debug_error_function(ignore, nullptr);
    const auto bytes = file_.bytes();
    std::unique_ptr<poppler::document> opened(
        poppler::document::load_from_raw_data(bytes.data(), static_cast<int>(bytes.size())));
    if (!opened) throw std::runtime_error("the PDF is damaged: it cannot be drawn");
    if (opened->is_locked()) {
      throw std::runtime_error("the PDF is encrypted: a password is needed to read it");
    }
    check_count(opened->pages());
    drawn_ = std::move(opened);
  }
  check_number(number, drawn_->pages());
  std::unique_ptr<poppler::page> out(drawn_->create_page(number - 1));
  if (!out) throw std::runtime_error("page " + std::to_string(number) + " is damaged");
  return out;
}

open_document& document_of(int fd) {
  static std::unique_ptr<open_document> last;
  if (last && last->id() == id_of(fd)) return *last;
  last.reset();
  last = std::make_unique<open_document>(fd);
  return *last;
}

}  // namespace rowrunner::pdf
