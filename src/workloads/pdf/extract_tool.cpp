#include <qpdf/QPDFExc.hh>
#include <qpdf/QPDFPageDocumentHelper.hh>
#include <qpdf/QPDFWriter.hh>
#include <stdexcept>

#include "workloads/pdf/open_document.hpp"
#include "workloads/pdf/output_file.hpp"
#include "workloads/pdf/tools.hpp"

namespace rowrunner::pdf {

nlohmann::json extract_tool(const nlohmann::json& arguments) {
  auto page = document_of(file_of(arguments, 0)).page(arguments.at("page").get<int>());
  try {
    // Pages may share one list of all pictures of the document.
    page.removeUnreferencedResources();
    QPDF alone;
    alone.setSuppressWarnings(true);
    alone.emptyPDF();
    QPDFPageDocumentHelper(alone).addPage(page, false);
    const auto file = output_to(file_of(arguments, 1));
    QPDFWriter writer(alone, "page", file.get(), false);
    writer.write();
    finish(file);
  } catch (const QPDFExc& problem) {
    throw std::runtime_error("the page is damaged: " + problem.getMessageDetail());
  }
  return nullptr;
}

}  // namespace rowrunner::pdf
