// A worker for the kind `bench` (bench/bench_jobs.sql), whose handler waits as long as the job
// says: for what no handler of the shipped binary does. Everything else has the library's defaults.
//
//   bench_worker [--concurrency N] [--drain] [--payload] [--starts]       (DATABASE_URL)
//
// --payload reads the column of that name. --starts writes "name nanoseconds" when a handler
// starts, by the clock that all processes of a machine share. The last line sums the run up as
// JSON.

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

namespace {

namespace asio = boost::asio;

std::int64_t now_ns() {
  return std::chrono::steady_clock::now().time_since_epoch() / std::chrono::nanoseconds{1};
}

// Handlers run on the worker's one thread, so nothing here is locked.
struct summary {
  std::int64_t jobs = 0;
  std::int64_t payload_bytes = 0;
  std::int64_t first_start = std::numeric_limits<std::int64_t>::max();
  std::int64_t last_end = 0;
};

void write_start(const std::string& name, std::int64_t at) {
  // One write(2) a line: the reader is waiting for it.
  const std::string line = name + " " + std::to_string(at) + "\n";
  if (write(STDOUT_FILENO, line.data(), line.size()) < 0) std::abort();
}

asio::awaitable<rowrunner::outcome> run_job(const rowrunner::job& self, summary& sum, bool payload,
                                            bool starts) {
  const auto begun = now_ns();
  sum.first_start = std::min(sum.first_start, begun);
  if (starts) write_start(self.text("name"), begun);
  if (payload) sum.payload_bytes += static_cast<std::int64_t>(self.text("payload").size());
  const int ms = std::stoi(self.text("ms"));
  if (ms > 0) {
    asio::steady_timer timer(co_await asio::this_coro::executor, std::chrono::milliseconds{ms});
    co_await timer.async_wait(asio::use_awaitable);
  }
  sum.last_end = now_ns();
  ++sum.jobs;
  co_return rowrunner::succeeded{};
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app;
  rowrunner::worker_options options;
  rowrunner::kind_options kind;
  kind.kind = "bench";
  kind.columns = {"name", "ms"};
  bool payload = false, starts = false;
  app.add_option("--database-url", options.database_url)->envname("DATABASE_URL")->required();
  app.add_option("--concurrency", kind.max_concurrent);
  app.add_flag("--drain", options.drain);
  app.add_flag("--payload", payload);
  app.add_flag("--starts", starts);
  CLI11_PARSE(app, argc, argv);
  if (payload) kind.columns.emplace_back("payload");
  try {
    summary sum;
    rowrunner::worker process(std::move(options));
    process.add(std::move(kind),
                [&](rowrunner::job& self) { return run_job(self, sum, payload, starts); });
    process.run();
    std::printf(R"({"jobs":%lld,"payload_bytes":%lld,"seconds":%.6f})"
                "\n",
                static_cast<long long>(sum.jobs), static_cast<long long>(sum.payload_bytes),
                sum.jobs == 0 ? 0.0 : static_cast<double>(sum.last_end - sum.first_start) / 1e9);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "bench_worker: %s\n", e.what());
    return 1;
  }
}
