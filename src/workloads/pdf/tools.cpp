#include "workloads/pdf/tools.hpp"

#include "workloads/pdf/open_document.hpp"
#include "workloads/pdf/pdf.hpp"

namespace rowrunner::pdf {

std::vector<child::tool> tools() {
  return {{"pdf.count", count_tool},     {"pdf.analyse", analyse_tool},
          {"pdf.extract", extract_tool}, {"pdf.render", render_tool},
          {"pdf.read", read_tool},       {"pdf.searchable", searchable_tool}};
}

int file_of(const nlohmann::json& arguments, std::size_t index) {
  return arguments.at("files").at(index).get<int>();
}

nlohmann::json count_tool(const nlohmann::json& arguments) {
  return document_of(file_of(arguments, 0)).pages();
}

}  // namespace rowrunner::pdf
