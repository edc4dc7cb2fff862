#include "workloads/pdf_batch/page_loop.hpp"

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/experimental/parallel_group.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "common/child/error.hpp"
#include "workloads/pdf_batch/stage.hpp"
#include "workloads/pdf_batch/status.hpp"

namespace rowrunner::pdf_batch {
namespace {

using nlohmann::json;

struct not_stored {};

asio::awaitable<json> refuse_to_run() {
  throw not_stored{};
  co_return json();
}

std::string step_name(int page) { return "page " + std::to_string(page); }

/// Shared by the coroutines that take pages from it. It has a copy of the job, because Asio may
/// destroy suspended coroutines in any order.
struct page_run {
  page_run(const job& of, int pages, analyse_body analyse)
      : self(of), total(pages), body(std::move(analyse)), found(static_cast<std::size_t>(pages)) {}

  job self;
  const int total;
  const analyse_body body;
  std::vector<json> found;
  std::vector<int> missing;
  std::size_t next = 0;
  std::int64_t done = 0;
};

asio::awaitable<json> analyse_one(page_run& run, int page) {
  std::exception_ptr thrown;
  std::string what;
  try {
    const std::function<asio::awaitable<json>()> analyse = [&run, page] { return run.body(page); };
    co_return co_await run.self.step(step_name(page), analyse);
  } catch (const job_stopped&) {
    throw;
  } catch (const child::error& error) {
    if (error.why == child::failure::unavailable) throw;
    thrown = std::current_exception();
    what = error.what();
  } catch (const std::exception& error) {
    thrown = std::current_exception();
    what = error.what();
  }
  const auto state = co_await asio::this_coro::cancellation_state;
  if (run.self.stop_requested() || state.cancelled() != asio::cancellation_type::none) {
    std::rethrow_exception(thrown);
  }
  const auto number = std::to_string(page);
  throw stage_error("analyse page " + number + "/" + std::to_string(run.total),
                    "page " + number + ": " + what);
}

asio::awaitable<void> take_pages(std::shared_ptr<page_run> run) {
  while (run->next < run->missing.size()) {
    const int page = run->missing[run->next++];
    auto result = co_await analyse_one(*run, page);
    run->found[static_cast<std::size_t>(page - 1)] = std::move(result);
    ++run->done;
    co_await run->self.progress(run->done, run->total, page_message(run->done, run->total));
  }
}

/// The first exception ends the others, too.
asio::awaitable<void> run_side_by_side(std::shared_ptr<page_run> run, int at_a_time) {
  const auto executor = co_await asio::this_coro::executor;
  using one = decltype(asio::co_spawn(executor, take_pages(run), asio::deferred));
  std::vector<one> takers;
  const auto count =
      std::min(static_cast<std::size_t>(std::max(at_a_time, 1)), run->missing.size());
  for (std::size_t i = 0; i < count; ++i) {
    takers.push_back(asio::co_spawn(executor, take_pages(run), asio::deferred));
  }
  if (takers.empty()) co_return;
  auto group = asio::experimental::make_parallel_group(std::move(takers));
  const asio::experimental::wait_for_one_error until;
  const auto [order, thrown] = co_await group.async_wait(until, asio::use_awaitable);
  for (const auto which : order) {
    if (thrown[which]) std::rethrow_exception(thrown[which]);
  }
}

}  // namespace

asio::awaitable<std::optional<json>> stored_step(job& self, std::string name) {
  try {
    co_return co_await self.step(std::move(name), refuse_to_run);
  } catch (const not_stored&) {
  }
  co_return std::nullopt;
}

asio::awaitable<std::vector<json>> analyse_pages(job& self, int total, int at_a_time,
                                                 analyse_body body) {
  const auto run = std::make_shared<page_run>(self, total, std::move(body));
  for (int page = 1; page <= total; ++page) {
    auto stored = co_await stored_step(self, step_name(page));
    if (stored) {
      run->found[static_cast<std::size_t>(page - 1)] = std::move(*stored);
      ++run->done;
    } else {
      run->missing.push_back(page);
    }
  }
  // The whole number at once: a report of a smaller one would take the progress back.
  std::string message = started_message;
  if (run->done > 0) message = page_message(run->done, total);
  co_await self.progress(run->done, total, std::move(message));
  co_await run_side_by_side(run, at_a_time);
  co_return std::move(run->found);
}

}  // namespace rowrunner::pdf_batch
