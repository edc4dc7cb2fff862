// A worker for job tables like bench/bench_jobs.sql, whose handler does as the job and these flags
// say: for what no handler of the shipped binary does. Everything else has the library's defaults.
//
//   bench_worker [--kind NAME …] [--concurrency N] [--drain] [--payload] [--starts]
//                [--starts-of TEXT] [--steps N [--effects]] [--report-ms N] [--until]
//                                                                        (DATABASE_URL)
//
// A handler waits for the `ms` of its job. --payload reads the column of that name; --until waits
// until the time that stands in it. --steps stores so many small steps one after the other,
// with --effects each with a row of bench_effects. --report-ms reports progress so often while it
// waits. --starts writes "name nanoseconds" when a handler starts, --starts-of only for names that
// begin so. All times are by the clock that all processes of a machine share. The last line sums
// the run up as JSON.

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <rowrunner/worker.hpp>
#include <string>
#include <vector>

namespace {

namespace asio = boost::asio;
using clock = std::chrono::steady_clock;

struct behaviour {
  bool payload = false;
  bool starts = false;
  std::string starts_of{};
  int steps = 0;
  bool effects = false;
  int report_ms = 0;
  bool until = false;
};

std::int64_t now_ns() { return clock::now().time_since_epoch() / std::chrono::nanoseconds{1}; }

// Handlers run on the worker's one thread, so nothing here is locked.
struct summary {
  std::int64_t jobs = 0;
  std::int64_t steps = 0;
  std::int64_t payload_bytes = 0;
  std::int64_t first_start = std::numeric_limits<std::int64_t>::max();
  std::int64_t last_end = 0;
};

void write_start(const std::string& name, std::int64_t at) {
  // One write(2) a line: the reader is waiting for it.
  const std::string line = name + " " + std::to_string(at) + "\n";
  if (write(STDOUT_FILENO, line.data(), line.size()) < 0) std::abort();
}

bool tells_start(const behaviour& does, const std::string& name) {
  return does.starts || (!does.starts_of.empty() && name.starts_with(does.starts_of));
}

asio::awaitable<void> wait_until(clock::time_point end) {
  asio::steady_timer timer(co_await asio::this_coro::executor, end);
  co_await timer.async_wait(asio::use_awaitable);
}

asio::awaitable<void> store_steps(rowrunner::job& self, const behaviour& does, summary& sum) {
  for (int i = 0; i < does.steps; ++i) {
    const auto body = [&]() -> asio::awaitable<rowrunner::step_result> {
      rowrunner::step_result result(i);
      if (does.effects) {
        result.effects.push_back(
            {"INSERT INTO public.bench_effects (name) VALUES ($1)", {self.text("name")}});
      }
      co_return result;
    };
    co_await self.step("step " + std::to_string(i), body);
    ++sum.steps;
  }
}

asio::awaitable<void> wait_and_report(rowrunner::job& self, int ms, int report_ms) {
  const auto begun = clock::now();
  for (int waited = report_ms; waited < ms; waited += report_ms) {
    co_await wait_until(begun + std::chrono::milliseconds{waited});
    co_await self.progress(waited, ms, "waits");
  }
  co_await wait_until(begun + std::chrono::milliseconds{ms});
}

asio::awaitable<rowrunner::outcome> run_job(rowrunner::job& self, const behaviour& does,
                                            summary& sum) {
  const auto begun = now_ns();
  sum.first_start = std::min(sum.first_start, begun);
  if (tells_start(does, self.text("name"))) write_start(self.text("name"), begun);
  if (does.payload) sum.payload_bytes += static_cast<std::int64_t>(self.text("payload").size());
  co_await store_steps(self, does, sum);
  const int ms = self.get<int>("ms");
  if (does.until) {
    co_await wait_until(
        clock::time_point{std::chrono::nanoseconds{self.get<std::int64_t>("payload")}});
  } else if (ms > 0) {
    co_await wait_and_report(self, ms, does.report_ms > 0 ? does.report_ms : ms);
  }
  sum.last_end = now_ns();
  ++sum.jobs;
  co_return rowrunner::succeeded{};
}

void run(rowrunner::worker_options options, const std::vector<std::string>& kinds,
         int max_concurrent, const behaviour& does) {
  summary sum;
  rowrunner::worker process(std::move(options));
  for (const auto& name : kinds) {
    rowrunner::kind_options kind;
    kind.kind = name;
    kind.max_concurrent = max_concurrent;
    kind.columns = {"name", "ms"};
    if (does.payload || does.until) kind.columns.emplace_back("payload");
    process.add(std::move(kind), [&](rowrunner::job& self) { return run_job(self, does, sum); });
  }
  process.run();
  std::printf(R"({"jobs":%lld,"steps":%lld,"payload_bytes":%lld,"seconds":%.6f})"
              "\n",
              static_cast<long long>(sum.jobs), static_cast<long long>(sum.steps),
              static_cast<long long>(sum.payload_bytes),
              sum.jobs == 0 ? 0.0 : static_cast<double>(sum.last_end - sum.first_start) / 1e9);
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app;
  rowrunner::worker_options options;
  std::vector<std::string> kinds{"bench"};
  int max_concurrent = rowrunner::kind_options{}.max_concurrent;
  behaviour does;
  app.add_option("--database-url", options.database_url)->envname("DATABASE_URL")->required();
  app.add_option("--kind", kinds);
  app.add_option("--concurrency", max_concurrent);
  app.add_flag("--drain", options.drain);
  app.add_flag("--payload", does.payload);
  app.add_flag("--starts", does.starts);
  app.add_option("--starts-of", does.starts_of);
  app.add_option("--steps", does.steps)->check(CLI::NonNegativeNumber);
  app.add_flag("--effects", does.effects);
  app.add_option("--report-ms", does.report_ms)->check(CLI::PositiveNumber);
  app.add_flag("--until", does.until);
  CLI11_PARSE(app, argc, argv);
  try {
    run(std::move(options), kinds, max_concurrent, does);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "bench_worker: %s\n", e.what());
    return 1;
  }
}
