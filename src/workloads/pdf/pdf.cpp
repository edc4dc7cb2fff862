#include "workloads/pdf/pdf.hpp"

#include "workloads/pdf/new_file.hpp"

namespace rowrunner::pdf {
namespace {

using nlohmann::json;

asio::awaitable<json> read(child::pool& children, std::string tool, json arguments, path file) {
  std::vector<path> to_read{std::move(file)};
  return children.call(std::move(tool), std::move(arguments), std::move(to_read), {});
}

/// Calls a tool that makes a file; the file gets its name when it is whole.
asio::awaitable<void> make_file(child::pool& children, std::string tool, json arguments,
                                std::vector<path> to_read, path out) {
  new_file result(std::move(out));
  std::vector<descriptor> to_write;
  to_write.push_back(result.to_write());
  co_await children.call(std::move(tool), std::move(arguments), std::move(to_read),
                         std::move(to_write));
  result.keep();
}

}  // namespace

asio::awaitable<int> count_pages(child::pool& children, path file) {
  json none = json::object();
  const auto answer = co_await read(children, "pdf.count", std::move(none), std::move(file));
  co_return answer.get<int>();
}

asio::awaitable<page_analysis> analyse_page(child::pool& children, path file, int page) {
  auto all = co_await analyse_pages(children, std::move(file), page, page);
  co_return std::move(all.at(0));
}

asio::awaitable<std::vector<page_analysis>> analyse_pages(child::pool& children, path file,
                                                          int first, int last) {
  json arguments = {{"first", first}, {"last", last}};
  const auto answer = co_await read(children, "pdf.analyse", std::move(arguments), std::move(file));
  co_return answer.get<std::vector<page_analysis>>();
}

asio::awaitable<void> extract_page(child::pool& children, path file, int page, path out) {
  json arguments = {{"page", page}};
  return make_file(children, "pdf.extract", std::move(arguments), {std::move(file)},
                   std::move(out));
}

asio::awaitable<void> render_page(child::pool& children, path file, int page, int dpi,
                                  path out_png) {
  json arguments = {{"page", page}, {"dpi", dpi}};
  return make_file(children, "pdf.render", std::move(arguments), {std::move(file)},
                   std::move(out_png));
}

asio::awaitable<page_reading> read_page(child::pool& children, path file, int page,
                                        read_options how) {
  json arguments = {{"page", page},
                    {"languages", how.languages},
                    {"dpi", how.dpi},
                    {"segmentation", how.segmentation},
                    {"data", how.data}};
  const auto answer = co_await read(children, "pdf.read", std::move(arguments), std::move(file));
  co_return answer.get<page_reading>();
}

asio::awaitable<void> searchable_pdf(child::pool& children, path file, path readings_json,
                                     path out) {
  std::vector<path> to_read{std::move(file), std::move(readings_json)};
  return make_file(children, "pdf.searchable", json::object(), std::move(to_read), std::move(out));
}

}  // namespace rowrunner::pdf
