#include "workloads/ocr_relay/reader.hpp"

#include "common/scratch_folder.hpp"
#include "queries/ocr_relay.hpp"
#include "workloads/ocr_relay/events.hpp"
#include "workloads/ocr_relay/settings.hpp"
#include "workloads/pages/run_pages.hpp"
#include "workloads/pdf/pdf.hpp"
#include "workloads/providers/data_dir.hpp"
#include "workloads/providers/files.hpp"

namespace rowrunner::ocr_relay {

namespace asio = boost::asio;
using nlohmann::json;

namespace {

/// Documents that one process reads at the same time; each has its pages side by side.
constexpr int most_documents = 4;

using step_body = std::function<asio::awaitable<step_result>()>;

json json_column(const job_view& self, const char* name) {
  const auto& text = self.column(name);
  return text ? json::parse(*text) : json();
}

std::string text_of(bool value) { return value ? "true" : "false"; }

/// What a library or a limit says of a file will not change.
bool is_final(child::failure why) { return why != child::failure::unavailable; }

}  // namespace

reader::reader(workload_services& all)
    : all_(all),
      provider_(providers::make_ocr_provider(all, all.env.get("OCR_PROVIDER").value_or(""))),
      largest_file_(largest_file(all.env)) {
  const auto warning = providers::warning_about(providers::data_dir_from(all.env));
  if (warning) all.engine.log().warn(*warning);
}

asio::awaitable<outcome> reader::run(job& self) {
  try {
    co_return co_await read_document(self);
  } catch (const providers::service_busy& error) {
    co_return snoozed{error.after};
  } catch (const providers::provider_error& error) {
    co_return failed{error.what(), error.after, error.final};
  } catch (const child::error& error) {
    co_return failed{error.what(), std::nullopt, is_final(error.why)};
  }
}

asio::awaitable<outcome> reader::read_document(job& self) {
  const scratch_folder folder(all_.env.get("TMP_DIR").value_or(""));
  const auto file = folder.path() / "document";
  co_await providers::fetch_file(all_, self, self.text("file_id"), file, largest_file_);
  pages::page_options how;
  how.total = co_await count_pages(self, file);
  how.concurrency = page_settings_of(json_column(self, "options_json")).concurrency;
  document_input wanted{file, how.total, nullptr};
  wanted.masters = co_await masters_of(self);
  const pages::page_body read = [this, &self, &wanted](int page) {
    return read_page(self, wanted, page);
  };
  const pages::page_failed_body note =
      [&self](int page, const std::string& error) -> asio::awaitable<step_result> {
    step_result out(json(nullptr));
    out.effects.push_back(
        {std::string(queries::relay_page_failed.text), {self.id(), std::to_string(page), error}});
    co_return out;
  };
  co_await pages::run_pages(self, how, read, note);
  co_return succeeded{};
}

asio::awaitable<int> reader::count_pages(job& self, std::filesystem::path file) {
  const step_body count = [&]() -> asio::awaitable<step_result> {
    const int found = co_await pdf::count_pages(all_.children, file);
    step_result out{json(found)};
    out.effects.push_back(
        {std::string(queries::relay_pages_counted.text), {self.id(), std::to_string(found)}});
    co_return out;
  };
  const auto stored = co_await self.step("pages", count);
  co_return stored.get<int>();
}

/// They may have 16 MiB, so they are parsed once, and not on the engine's thread.
asio::awaitable<std::shared_ptr<const json>> reader::masters_of(const job& self) {
  const job_view row = self;
  const auto parse = [row] {
    return std::make_shared<const json>(json_column(row, "masters_json"));
  };
  co_return co_await result_of<std::shared_ptr<const json>>(all_.files, parse);
}

asio::awaitable<step_result> reader::read_page(const job& self, const document_input& document,
                                               int page) {
  const auto how = page_settings_of(json_column(self, "options_json"));
  providers::page_input wanted;
  wanted.file = document.file;
  wanted.page = page;
  wanted.total = document.pages;
  wanted.prompt = self.text("prompt");
  wanted.masters = document.masters;
  wanted.settings = json_column(self, "gemini_json");
  wanted.dpi = how.dpi;
  wanted.as_image = how.as_image;
  const auto found = co_await provider_->read(self, std::move(wanted));

  read_page_event event;
  event.job_id = self.text("job_id");
  event.order_id = self.text("order_id");
  event.page = page;
  event.non_order = !found.is_order;
  event.text = page_text(page, found.text);
  event.meta = page_meta(found.meta, std::string(provider_->name()));
  if (found.confidence) event.meta["confidence"] = *found.confidence;
  step_result out{json(nullptr)};
  out.effects.push_back(
      {std::string(queries::relay_page_read.text),
       {self.id(), std::to_string(page), text_of(event.non_order), event.text, dump(event.meta),
        dump(page_result(event)), text_of(how.concurrency == 1)}});
  co_return out;
}

handler_entry relay_handler() {
  kind_options options;
  options.kind = "ocr_relay";
  options.max_concurrent = most_documents;
  options.columns = {"job_id",       "order_id",    "file_id",     "prompt",
                     "masters_json", "gemini_json", "options_json"};
  const auto make = [](workload_services& all) -> coroutine_handler {
    const auto serve = std::make_shared<reader>(all);
    return [serve](job& self) { return serve->run(self); };
  };
  return {"ocr_relay", std::move(options), make};
}

}  // namespace rowrunner::ocr_relay
