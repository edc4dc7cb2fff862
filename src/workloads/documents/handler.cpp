#include "workloads/documents/handler.hpp"

#include "common/scratch_folder.hpp"
#include "common/storage/files.hpp"
#include "common/text.hpp"
#include "queries/documents.hpp"
#include "workloads/documents/settings.hpp"

namespace rowrunner::documents {

namespace asio = boost::asio;
using nlohmann::json;

namespace {

constexpr std::size_t pages_named = 20;

std::optional<std::string> json_or_null(const json& value) {
  if (value.is_null()) return std::nullopt;
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

effect page_row(const std::string& document, int page, const providers::page_text& read) {
  std::optional<std::string> confidence;
  if (read.confidence) confidence = std::to_string(*read.confidence);
  effect out{std::string{queries::page_read.text}, {}};
  out.params = {document,
                std::to_string(page),
                read.text,
                read.is_order ? "false" : "true",
                confidence,
                json_or_null(read.words),
                json_or_null(read.meta).value_or("{}")};
  return out;
}

asio::awaitable<step_result> failed_row(std::string document, int page, std::string error) {
  step_result out(json{{"error", error}});
  effect row{std::string{queries::page_failed.text}, {}};
  row.params = {document, std::to_string(page), error};
  out.effects.push_back(std::move(row));
  co_return out;
}

}  // namespace

handler::handler(workload_services& all)
    : handler(all, providers::make_ocr_provider(all, all.env.get("OCR_PROVIDER").value_or(""))) {}

handler::handler(workload_services& all, std::unique_ptr<providers::ocr_provider> ocr)
    : all_(all),
      ocr_(std::move(ocr)),
      dpi_(reading_dpi(all.env)),
      at_once_(pages_at_once(all.env)),
      largest_(largest_document(all.env)) {}

asio::awaitable<outcome> handler::run(job& self) {
  try {
    co_return co_await read_document(self);
  } catch (const storage::error& e) {
    co_return failed{e.what(), e.retry_after, false};
  } catch (const providers::service_busy& e) {
    co_return snoozed{e.after};
  }
}

asio::awaitable<std::optional<handler::stored_document>> handler::find_document(job& self) {
  const auto found = co_await all_.engine.idempotent_query(
      self, std::string{queries::document_of_job.text}, self.text("document_id"));
  if (found.rows.empty()) co_return std::nullopt;
  const auto& row = found.rows.front();
  stored_document out;
  out.key = row.at(0).value_or("");
  out.pages = std::stoi(row.at(1).value_or("0"));
  co_return out;
}

asio::awaitable<outcome> handler::read_document(job& self) {
  const auto document = co_await find_document(self);
  if (!document) {
    co_return final_failure("document " + self.text("document_id") + " does not exist");
  }
  const scratch_folder folder;
  const auto file = folder.path() / "document.pdf";
  const bool found =
      co_await storage::get_file(*all_.storage, document->key, file, largest_, all_.files);
  if (!found) co_return final_failure("the file of the document is not in the storage");
  pages::page_options options;
  options.total = document->pages;
  options.concurrency = at_once_;
  const int total = document->pages;
  pages::page_body body = [this, self, file, total](int page) {
    return read_page(self, file, page, total);
  };
  const std::string id = self.text("document_id");
  pages::page_failed_body on_failed = [id](int page, const std::string& error) {
    return failed_row(id, page, error);
  };
  const auto failures =
      co_await pages::run_pages(self, options, std::move(body), std::move(on_failed));
  if (!failures.empty()) co_return final_failure(failure_text(failures));
  co_return succeeded{};
}

/// The step keeps little: the text is in its row.
asio::awaitable<step_result> handler::read_page(job self, std::filesystem::path file, int page,
                                                int total) {
  providers::page_input input;
  input.file = std::move(file);
  input.page = page;
  input.total = total;
  input.dpi = dpi_;
  const auto read = co_await ocr_->read(self, std::move(input));
  step_result out(json{{"characters", read.text.size()}, {"blank", !read.is_order}});
  out.effects.push_back(page_row(self.text("document_id"), page, read));
  co_return out;
}

std::string failure_text(const std::vector<pages::page_failure>& failures) {
  if (failures.empty()) return "";
  const auto& first = failures.front();
  std::string out = "page " + std::to_string(first.page) + ": " + printable(first.error, 500);
  if (failures.size() == 1) return out;
  out += " (failed pages: ";
  for (std::size_t i = 0; i < std::min(failures.size(), pages_named); ++i) {
    out += (i == 0 ? "" : ", ") + std::to_string(failures[i].page);
  }
  if (failures.size() > pages_named) {
    out += " and " + std::to_string(failures.size() - pages_named) + " more";
  }
  return out + ")";
}

handler_entry document_handler() {
  kind_options options;
  options.kind = "document";
  options.columns = {"document_id"};
  options.max_concurrent = 4;
  const auto make = [](workload_services& all) -> coroutine_handler {
    const auto serve = std::make_shared<handler>(all);
    return [serve](job& self) { return serve->run(self); };
  };
  return {"document", std::move(options), make};
}

}  // namespace rowrunner::documents
