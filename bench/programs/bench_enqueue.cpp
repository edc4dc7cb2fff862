// Enqueues through the library and says how long that took:
//
//   bench_enqueue --kind KIND --jobs N [--per-commit N] [--payload BYTES] [--ms N] [--prefix TEXT]
//
// Each commit is one call of enqueue_many. The rows are made before the clock starts: they are what
// an application has.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <pqxx/pqxx>
#include <random>
#include <rowrunner/enqueue.hpp>
#include <string>
#include <vector>

namespace {

using row = std::vector<rowrunner::text_value>;

struct wanted {
  std::string url;
  std::string kind = "spot_image";
  std::string prefix = "job";
  int jobs = 0;
  int per_commit = 10'000;
  int payload = 0;
  int ms = 0;
};

std::vector<std::string> columns_of(const wanted& w) {
  if (w.kind == "spot_image") return {"plan_id", "spot_name"};
  return {"name", "ms", "payload"};
}

/// Text that the server cannot make smaller, as most payloads that are large.
std::string incompressible(int bytes) {
  static std::minstd_rand draw{1};
  std::string text(static_cast<std::size_t>(bytes), ' ');
  for (auto& letter : text) letter = static_cast<char>('0' + draw() / 7 % 64);
  return text;
}

std::vector<row> make_rows(const wanted& w, int first, int count) {
  std::vector<row> rows;
  const std::string payload = incompressible(w.payload);
  for (int i = first; i < first + count; ++i) {
    if (w.kind == "spot_image") {
      rows.push_back({w.prefix, "spot " + std::to_string(i)});
    } else {
      rows.push_back({w.prefix + " " + std::to_string(i), std::to_string(w.ms), payload});
    }
  }
  return rows;
}

void run(const wanted& w) {
  pqxx::connection connection(w.url);
  const auto target = [&] {
    pqxx::work tx(connection);
    return rowrunner::find_job_table(tx, w.kind);
  }();
  const auto columns = columns_of(w);
  std::chrono::duration<double> spent{0};
  for (int first = 0; first < w.jobs; first += w.per_commit) {
    const auto rows = make_rows(w, first, std::min(w.per_commit, w.jobs - first));
    const auto begun = std::chrono::steady_clock::now();
    pqxx::work tx(connection);
    const auto result = rowrunner::enqueue_many(tx, target, columns, rows);
    tx.commit();
    spent += std::chrono::steady_clock::now() - begun;
    if (result.skipped != 0) throw std::runtime_error("rows were there already");
  }
  std::printf("{\"jobs\":%d,\"seconds\":%.6f}\n", w.jobs, spent.count());
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app;
  wanted w;
  app.add_option("--database-url", w.url)->envname("DATABASE_URL")->required();
  app.add_option("--kind", w.kind);
  app.add_option("--prefix", w.prefix);
  app.add_option("--jobs", w.jobs)->required()->check(CLI::PositiveNumber);
  app.add_option("--per-commit", w.per_commit)->check(CLI::PositiveNumber);
  app.add_option("--payload", w.payload)->check(CLI::NonNegativeNumber);
  app.add_option("--ms", w.ms)->check(CLI::NonNegativeNumber);
  CLI11_PARSE(app, argc, argv);
  try {
    run(w);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "bench_enqueue: %s\n", e.what());
    return 1;
  }
}
