// A worker process with the test kind, for the tests that kill, stop and starve it; and, with
// --enqueue N, a process that enqueues N jobs through the library.
//
//   test_worker DATABASE_URL [--concurrency N] [--lease-ms N] [--grace-ms N] [--timeout-ms N]
//               [--drain] [--blocking]
//   test_worker DATABASE_URL --enqueue N

#include <CLI/CLI.hpp>
#include <cstdio>
#include <pqxx/pqxx>
#include <rowrunner/enqueue.hpp>
#include <rowrunner/worker.hpp>

#include "common/log.hpp"
#include "support/test_handler.hpp"

namespace {

void enqueue_all(const std::string& url, int jobs) {
  pqxx::connection connection(url);
  std::vector<std::vector<std::optional<std::string>>> rows;
  for (int i = 0; i < jobs; ++i) rows.push_back({"job" + std::to_string(i), "50", "100"});
  pqxx::work tx(connection);
  const auto result = rowrunner::enqueue_many(tx, "test", {"name", "ms", "max_attempts"}, rows);
  tx.commit();
  std::printf("inserted %lld skipped %lld\n", static_cast<long long>(result.inserted),
              static_cast<long long>(result.skipped));
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app;
  rowrunner::worker_options options;
  auto kind = rowrunner::testing::test_kind();
  int lease = 10'000, grace = 8'000, timeout = 0, enqueue = 0;
  bool blocking = false, verbose = false;
  app.add_option("url", options.database_url)->required();
  app.add_option("--concurrency", kind.max_concurrent);
  app.add_option("--lease-ms", lease);
  app.add_option("--grace-ms", grace);
  app.add_option("--timeout-ms", timeout);
  app.add_option("--name", options.name);
  app.add_option("--enqueue", enqueue);
  app.add_flag("--drain", options.drain);
  app.add_flag("--pooled", options.pooled);
  app.add_flag("--blocking", blocking);
  app.add_flag("--verbose", verbose);
  CLI11_PARSE(app, argc, argv);
  try {
    if (enqueue > 0) {
      enqueue_all(options.database_url, enqueue);
      return 0;
    }
    options.lease = std::chrono::milliseconds{lease};
    options.shutdown_grace = std::chrono::milliseconds{grace};
    kind.timeout = std::chrono::milliseconds{timeout};
    if (options.name.empty()) options.name = rowrunner::default_worker_name();
    const auto log = std::make_shared<rowrunner::logger>(
        verbose ? rowrunner::log_level::debug : rowrunner::log_level::info, options.name);
    rowrunner::worker process(std::move(options), log);
    if (blocking) {
      process.add_blocking(std::move(kind), rowrunner::testing::run_blocking_test_job);
    } else {
      process.add(std::move(kind), rowrunner::testing::run_test_job);
    }
    process.run();
    std::printf("refused %lld\n", static_cast<long long>(process.counts().refused));
    std::fflush(stdout);
    std::_Exit(0);  // threads that hang must not hold up the exit
  } catch (const std::exception& e) {
    std::fprintf(stderr, "test_worker: %s\n", e.what());
    return 1;
  }
}
