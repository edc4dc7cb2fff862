#include "workloads/pdf_batch/handler.hpp"

#include <algorithm>
#include <boost/asio/this_coro.hpp>
#include <thread>

#include "common/scratch_folder.hpp"
#include "common/storage/files.hpp"
#include "workloads/pdf_batch/file_hash.hpp"
#include "workloads/pdf_batch/message.hpp"
#include "workloads/pdf_batch/page_loop.hpp"
#include "workloads/pdf_batch/result.hpp"
#include "workloads/pdf_batch/stage.hpp"
#include "workloads/pdf_batch/status.hpp"

namespace rowrunner::pdf_batch {
namespace {

using nlohmann::json;
using std::chrono::system_clock;
using step_body = std::function<asio::awaitable<json>()>;

std::int64_t milliseconds_of(system_clock::time_point when) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(when.time_since_epoch()).count();
}

system_clock::time_point time_of(std::int64_t milliseconds) {
  return system_clock::time_point(std::chrono::milliseconds(milliseconds));
}

/// How long a job waits when no child can be started, or too many calls wait for one.
constexpr std::chrono::seconds pause_without_children{5};

/// One more than there are cores, so that a child has its next page while a step is being stored.
int pages_for_this_machine() {
  return static_cast<int>(std::clamp(std::thread::hardware_concurrency(), 1u, 15u)) + 1;
}

}  // namespace

handler::handler(workload_services& all, pdf_calls calls)
    : engine_(all.engine),
      storage_(*all.storage),
      files_(all.files),
      calls_(std::move(calls)),
      pages_at_a_time_(pages_for_this_machine()) {}

asio::awaitable<outcome> handler::run(job& self) {
  std::exception_ptr thrown;
  std::string stage = "process", reason;
  bool unavailable = false;
  try {
    co_return co_await process(self);
  } catch (const job_stopped&) {
    throw;
  } catch (const stage_error& error) {
    thrown = std::current_exception();
    stage = error.stage;
    reason = error.what();
  } catch (const child::error& error) {
    thrown = std::current_exception();
    unavailable = error.why == child::failure::unavailable;
    reason = error.what();
  } catch (const std::exception& error) {
    thrown = std::current_exception();
    reason = error.what();
  }
  const auto state = co_await asio::this_coro::cancellation_state;
  if (self.stop_requested() || state.cancelled() != asio::cancellation_type::none) {
    std::rethrow_exception(thrown);
  }
  if (!unavailable) co_return fail(self, stage, reason);
  engine_.log(self).warn("the job waits for a child process",
                         {{"job_id", self.text("job_id")}, {"error", reason}});
  co_return snoozed{pause_without_children};
}

asio::awaitable<outcome> handler::process(job& self) {
  const auto started = self.now();
  const auto pdf_path = self.text("pdf_path");
  check_job_id(self.text("job_id"));
  check_pdf_path(pdf_path);
  if (!co_await stored_step(self, "open")) co_await self.progress(0, 0, started_message);
  const scratch_folder scratch;
  std::exception_ptr thrown;
  try {
    co_await process_file(self, scratch.path() / "document.pdf", started);
  } catch (...) {
    thrown = std::current_exception();
  }
  // To remove a large file takes a while.
  const auto remove = [path = scratch.path()] {
    std::error_code ignored;
    return std::filesystem::remove_all(path, ignored);
  };
  co_await result_of<std::uintmax_t>(files_, remove);
  if (thrown) std::rethrow_exception(thrown);
  co_return succeeded{};
}

asio::awaitable<void> handler::process_file(job& self, std::filesystem::path file,
                                            system_clock::time_point started) {
  const auto& pdf_path = self.text("pdf_path");
  co_await fetch(pdf_path, file);
  const auto sum = [file] { return sha256_of(file); };
  const auto sha256 = co_await result_of<std::string>(files_, sum);
  const step_body count = [&]() -> asio::awaitable<json> {
    return open(self, file, sha256, started);
  };
  const auto opened = co_await self.step("open", count);
  // Pages of two files must not get into one result.
  if (opened.value("sha256", sha256) != sha256) {
    throw stage_error("open " + pdf_path, "the file has changed since its pages were counted");
  }
  auto pages = co_await analyse(self, file, opened.at("pages").get<int>());
  const auto count_of_pages = static_cast<std::int64_t>(pages.size());
  co_await write_result(self, std::move(pages),
                        time_of(opened.at("started_at").get<std::int64_t>()));
  co_await self.progress(count_of_pages, count_of_pages, completed_message);
}

asio::awaitable<void> handler::fetch(std::string key, std::filesystem::path to) {
  std::string reason = "the storage has no file " + key;
  try {
    const bool found = co_await storage::get_file(storage_, key, to, max_pdf_bytes, files_);
    if (found) co_return;
  } catch (const storage::error& error) {
    reason = error.what();
  } catch (const std::system_error& error) {
    reason = error.what();
  }
  throw stage_error("read " + key + " from the storage", reason);
}

asio::awaitable<json> handler::open(job& self, std::filesystem::path file, std::string sha256,
                                    system_clock::time_point started) {
  json out;
  try {
    out["pages"] = co_await calls_.count_pages(file);
  } catch (const child::error& error) {
    if (error.why == child::failure::unavailable) throw;
    throw stage_error("count the pages", error.what());
  }
  const auto bytes = std::filesystem::file_size(file);
  out["bytes"] = bytes;
  out["sha256"] = std::move(sha256);
  out["started_at"] = milliseconds_of(started);
  engine_.log(self).info("PDF has " + out["pages"].dump() + " pages",
                         {{"job_id", self.text("job_id")}, {"bytes", bytes}});
  co_return out;
}

asio::awaitable<std::vector<json>> handler::analyse(job& self, std::filesystem::path file,
                                                    int pages) {
  const auto text_bytes = text_bytes_per_page(pages);
  const analyse_body one = [this, file, text_bytes](int page) -> asio::awaitable<json> {
    const auto found = co_await calls_.analyse_page(file, page);
    co_return page_json(found, text_bytes);
  };
  co_return co_await analyse_pages(self, pages, pages_at_a_time_, one);
}

asio::awaitable<void> handler::write_result(job& self, std::vector<json> pages,
                                            system_clock::time_point started) {
  const auto job_id = self.text("job_id");
  const auto all = std::make_shared<const std::vector<json>>(std::move(pages));
  const step_body write = [&]() -> asio::awaitable<json> {
    const auto path = result_path(job_id);
    // Up to 32 MiB.
    const auto make = [job_id, all, started, ended = self.now()] {
      return result_text(job_id, *all, started, ended);
    };
    auto text = co_await result_of<std::string>(files_, make);
    co_await storage_.put(path, std::move(text), "application/json");
    co_return path;
  };
  try {
    co_await self.step("result", write);
  } catch (const storage::error& error) {
    throw stage_error("write " + result_path(job_id) + " to the storage", error.what());
  }
}

outcome handler::fail(const job& self, const std::string& stage, const std::string& reason) {
  const auto& job_id = self.text("job_id");
  engine_.log(self).error("the job failed and will not be retried",
                          {{"job_id", job_id}, {"stage", stage}, {"error", reason}});
  return final_failure(reason + "\nTrace:\n  " + stage + "\n  pdf_path " + self.text("pdf_path") +
                       "\n  job " + job_id + ", attempt " + std::to_string(self.attempt()));
}

handler_entry pdf_batch_handler() {
  kind_options options;
  options.kind = "pdf_batch";
  options.columns = {"job_id", "pdf_path"};
  const auto make = [](workload_services& all) -> coroutine_handler {
    pdf_calls calls;
    calls.count_pages = [&all](std::filesystem::path file) {
      return pdf::count_pages(all.children, std::move(file));
    };
    calls.analyse_page = [&all](std::filesystem::path file, int page) {
      return pdf::analyse_page(all.children, std::move(file), page);
    };
    const auto serve = std::make_shared<handler>(all, std::move(calls));
    return [serve](job& self) { return serve->run(self); };
  };
  return {"pdf_batch", std::move(options), make};
}

}  // namespace rowrunner::pdf_batch
