#include "workloads/pages/run_pages.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/experimental/parallel_group.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cstdio>

#include "workloads/pages/page_retry.hpp"
#include "workloads/providers/error.hpp"

namespace rowrunner::pages {
namespace {

struct no_step_yet {};

asio::awaitable<step_result> refuse_to_run() {
  throw no_step_yet{};
  co_return step_result{};
}

asio::awaitable<bool> is_stored(job& self, int page) {
  try {
    co_await self.step(page_step(page), refuse_to_run);
  } catch (const no_step_yet&) {
    co_return false;
  }
  co_return true;
}

/// Shared by the coroutines that take pages from it. It has a copy of the job, because Asio may
/// destroy suspended coroutines in any order.
struct page_run {
  page_run(const job& of, page_options how, page_body read, page_failed_body failed)
      : self(of), options(how), body(std::move(read)), on_failed(std::move(failed)) {}

  job self;
  const page_options options;
  const page_body body;
  const page_failed_body on_failed;
  std::vector<int> missing;
  std::size_t next = 0;
  std::int64_t done = 0;
  std::vector<page_failure> failures;
};

/// What went wrong with a page; what ends the whole job is thrown.
asio::awaitable<std::optional<failed_try>> try_page(page_run& run, int page) {
  std::exception_ptr thrown;
  try {
    const std::function<asio::awaitable<step_result>()> read = [&run, page] {
      return run.body(page);
    };
    co_await run.self.step(page_step(page), read);
    co_return std::nullopt;
  } catch (const job_stopped&) {
    throw;
  } catch (const providers::service_busy&) {
    throw;
  } catch (...) {
    thrown = std::current_exception();
  }
  const auto state = co_await asio::this_coro::cancellation_state;
  if (run.self.stop_requested() || state.cancelled() != asio::cancellation_type::none) {
    std::rethrow_exception(thrown);
  }
  co_return as_failed_try(thrown);
}

asio::awaitable<void> give_up(page_run& run, int page, std::string error) {
  if (run.on_failed) {
    // Each time another name: a page may fail in several attempts, and each is written.
    const auto at =
        std::chrono::duration_cast<std::chrono::milliseconds>(run.self.now().time_since_epoch());
    const std::string name = page_step(page) + "-failed-" + std::to_string(run.self.attempt()) +
                             "-" + std::to_string(at.count());
    const std::function<asio::awaitable<step_result>()> note = [&run, page, &error] {
      return run.on_failed(page, error);
    };
    co_await run.self.step(name, note);
  }
  run.failures.push_back({page, std::move(error)});
}

asio::awaitable<void> run_page(page_run& run, int page) {
  for (int tried = 1;; ++tried) {
    const auto failure = co_await try_page(run, page);
    if (!failure) {
      ++run.done;
      co_await run.self.progress(run.done, run.options.total, "page " + std::to_string(page));
      co_return;
    }
    const auto pause = pause_before_next_try(*failure, tried, run.options.tries);
    if (!pause) {
      co_await give_up(run, page, failure->error);
      co_return;
    }
    co_await run.self.sleep(*pause);
  }
}

asio::awaitable<void> take_pages(std::shared_ptr<page_run> run) {
  while (run->next < run->missing.size()) {
    const int page = run->missing[run->next++];
    co_await run_page(*run, page);
  }
}

/// The first exception ends the others, too.
asio::awaitable<void> run_side_by_side(std::shared_ptr<page_run> run) {
  const auto executor = co_await asio::this_coro::executor;
  using one = decltype(asio::co_spawn(executor, take_pages(run), asio::deferred));
  std::vector<one> takers;
  const auto count = std::min<std::size_t>(static_cast<std::size_t>(run->options.concurrency),
                                           run->missing.size());
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

std::string page_step(int page) {
  char name[24];
  std::snprintf(name, sizeof name, "page-%04d", page);
  return name;
}

asio::awaitable<std::vector<page_failure>> run_pages(job& self, page_options options,
                                                     page_body body, page_failed_body on_failed) {
  options.concurrency = std::max(options.concurrency, 1);
  const auto run = std::make_shared<page_run>(self, options, std::move(body), std::move(on_failed));
  for (int page = 1; page <= options.total; ++page) {
    if (co_await is_stored(self, page)) {
      ++run->done;
    } else {
      run->missing.push_back(page);
    }
  }
  // The whole number at once: a report of a smaller one would take the progress back.
  co_await self.progress(run->done, options.total, "");
  co_await run_side_by_side(run);
  std::sort(run->failures.begin(), run->failures.end(),
            [](const auto& a, const auto& b) { return a.page < b.page; });
  co_return std::move(run->failures);
}

}  // namespace rowrunner::pages
