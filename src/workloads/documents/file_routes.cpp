#include <fstream>

#include "api/ask.hpp"
#include "api/parameters.hpp"
#include "common/http/url.hpp"
#include "common/scratch_folder.hpp"
#include "queries/documents.hpp"
#include "workloads/documents/access.hpp"
#include "workloads/documents/file_answer.hpp"
#include "workloads/documents/routes.hpp"
#include "workloads/pdf/pdf.hpp"

namespace rowrunner::documents {

using api::answer;
using api::problem;
using api::request_error;
using nlohmann::json;

namespace {

constexpr int readings_at_once = 20;

asio::awaitable<document_copies::copy> fetch(files& from, const known_document& document) {
  auto found = co_await from.copy_of(document.key);
  if (!found) throw request_error(problem(404, "not_found", "File not found"));
  co_return found;
}

request_error as_request_error(const child::error& why) {
  const bool busy = why.why == child::failure::unavailable;
  return request_error(problem(busy ? 503 : 422, busy ? "unavailable" : "bad_file", why.what()));
}

json reading_json(const pg::result& rows, int row) {
  json out;
  out["text"] = rows.get(row, 1);
  out["confidence"] = std::stod(std::string(rows.get(row, 2)));
  out["words"] = json::parse(rows.get(row, 3));
  out["width"] = rows.get_int(row, 4);
  out["height"] = rows.get_int(row, 5);
  out["dpi"] = rows.get_int(row, 6);
  out["blank"] = rows.get(row, 7) == "t";
  return out;
}

/// The pages `first` to `last`, of which `rows` has those that were read.
void append_readings(std::ofstream& file, const pg::result& rows, int first, int last) {
  int row = 0;
  for (int page = first; page <= last; ++page) {
    if (page > 1) file << ",\n";
    const bool read = row < rows.rows() && rows.get_int(row, 0) == page;
    file << (read ? reading_json(rows, row) : json()).dump();
    if (read) ++row;
  }
  file.flush();
  if (!file) throw std::runtime_error("what was read could not be written to the disk");
}

/// Written page by page, some pages of the database at a time: all words of a large document do not
/// fit into memory. They have megabytes, so the server's thread does not parse them.
asio::awaitable<void> write_readings(const files& with_threads, api::services& with,
                                     const known_document& document, std::filesystem::path out) {
  const auto statement = queries::document_readings.statement();
  const auto file = std::make_shared<std::ofstream>(out, std::ios::binary);
  *file << '[';
  for (int first = 1; first <= document.pages; first += readings_at_once) {
    const int last = std::min(document.pages, first + readings_at_once - 1);
    const auto rows = std::make_shared<const pg::result>(co_await api::ask_database(
        with, pg::with(statement, document.id, std::to_string(first), std::to_string(last))));
    const auto append = [file, rows, first, last] {
      append_readings(*file, *rows, first, last);
      return true;
    };
    co_await result_of<bool>(with_threads.elsewhere(), append);
  }
  *file << "]\n";
  file->close();
  if (!*file) throw std::runtime_error("what was read could not be written to the disk");
}

/// A name for Content-Disposition that any client can read, and the real one (RFC 6266).
std::string disposition(std::string title) {
  if (title.ends_with(".pdf")) title.resize(title.size() - 4);
  return "attachment; filename=\"document.searchable.pdf\"; filename*=UTF-8''" +
         rowrunner::http::percent_encode(title + ".searchable.pdf");
}

}  // namespace

asio::awaitable<answer> show_page_image(shared_files files, api::services& with,
                                        const api::request& asked) {
  const auto document = co_await require_document(with, asked);
  const int page = page_of(asked, document);
  const int dpi = api::number_parameter(asked, "dpi", 100, 50, 300);
  auto counted = files->calls().enter(asked.who.user);
  const auto original = co_await fetch(*files, document);
  const auto folder = std::make_shared<scratch_folder>();
  const auto picture = folder->path() / "page.png";
  auto* const children = co_await files->children();
  try {
    co_await pdf::render_page(*children, original->path(), page, dpi, picture);
  } catch (const child::error& why) {
    throw as_request_error(why);
  }
  answer out;
  out.status = 200;
  out.content_type = "image/png";
  out.headers.emplace_back("Cache-Control", "private, max-age=3600");
  out.stream =
      std::make_shared<file_answer>(std::move(counted), folder, picture, files->elsewhere());
  co_return out;
}

asio::awaitable<answer> download_searchable(shared_files files, api::services& with,
                                            const api::request& asked) {
  const auto document = co_await require_document(with, asked);
  auto counted = files->calls().enter(asked.who.user);
  const auto original = co_await fetch(*files, document);
  const auto folder = std::make_shared<scratch_folder>();
  const auto readings = folder->path() / "readings.json";
  co_await write_readings(*files, with, document, readings);
  const auto made = folder->path() / "searchable.pdf";
  auto* const children = co_await files->children();
  try {
    co_await pdf::searchable_pdf(*children, original->path(), readings, made);
  } catch (const child::error& why) {
    throw as_request_error(why);
  }
  answer out;
  out.status = 200;
  out.content_type = "application/pdf";
  out.headers.emplace_back("Content-Disposition", disposition(document.title));
  out.stream = std::make_shared<file_answer>(std::move(counted), folder, made, files->elsewhere());
  co_return out;
}

}  // namespace rowrunner::documents
