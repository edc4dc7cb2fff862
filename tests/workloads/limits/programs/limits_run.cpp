// A real run: several processes share the limit of a local web server that has a token bucket.
//   limits_run --database-url URL [--processes 10] [--seconds 120] [--rate 10] [--burst 10]
//              [--latency 500] [--headers]
// Prints what the server saw. scripts/limits-run starts a database for it.
#include <sys/wait.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cmath>
#include <cstdio>
#include <mutex>

#include "common/http/client.hpp"
#include "common/log.hpp"
#include "support/http_stand_in.hpp"
#include "worker/handler_sessions.hpp"
#include "workloads/limits/limits.hpp"

namespace rowrunner::testing {
namespace {

namespace asio = boost::asio;
using std::chrono::steady_clock;

struct settings {
  std::string database_url;
  std::string call;
  int processes = 10;
  int callers = 20;
  int seconds = 120;
  double rate = 10;
  double burst = 10;
  int latency_ms = 500;
  bool headers = false;
};

/// The limiter of the service, and what it saw.
class token_bucket_server {
 public:
  explicit token_bucket_server(const settings& of) : of_(of), tokens_(of.burst) {
    server_.on("GET /call", [this](http_exchange& with) { serve(with); });
  }

  std::string url() const { return server_.url("/call"); }

  void print() const {
    const std::scoped_lock lock(mutex_);
    int sent = 0, rejected = 0;
    double reached = -1;
    for (std::size_t i = 0; i < seconds_.size(); ++i) {
      sent += seconds_[i].first;
      rejected += seconds_[i].second;
      if (i < 2 || reached >= 0) continue;
      int last = 0;
      for (auto j = i - 2; j <= i; ++j) last += seconds_[j].first - seconds_[j].second;
      if (last >= 0.9 * 3 * of_.rate) reached = static_cast<double>(i + 1);
    }
    const double share = 100.0 * rejected / std::max(1, sent);
    const double use = 100.0 * (sent - rejected) / (of_.rate * of_.seconds);
    std::printf("processes %d, %d s, bucket %.0f/s burst %.0f, %s\n", of_.processes, of_.seconds,
                of_.rate, of_.burst, of_.headers ? "with headers" : "blind");
    std::printf("calls %d, 429 %d: %.2f %%; use %.1f %%; 90 %% reached after %.0f s\n", sent,
                rejected, share, use, reached);
  }

 private:
  void serve(http_exchange& with) {
    http_exchange::fields fields;
    const bool fine = take(fields);
    // A rejection is quick, an answer is not.
    if (fine) std::this_thread::sleep_for(std::chrono::milliseconds(of_.latency_ms));
    with.answer(fine ? 200 : 429, fine ? "{}" : "too many", fields);
  }

  bool take(http_exchange::fields& fields) {
    const std::scoped_lock lock(mutex_);
    const auto now = steady_clock::now();
    if (seconds_.empty()) begun_ = last_ = now;
    tokens_ = std::min(of_.burst,
                       tokens_ + std::chrono::duration<double>(now - last_).count() * of_.rate);
    last_ = now;
    const bool fine = tokens_ >= 1;
    if (fine) tokens_ -= 1;
    const auto second = static_cast<std::size_t>(
        std::chrono::duration_cast<std::chrono::seconds>(now - begun_).count());
    if (seconds_.size() <= second) seconds_.resize(second + 1);
    ++seconds_[second].first;
    if (!fine) ++seconds_[second].second;
    if (of_.headers) {
      const auto reset = std::llround((of_.burst - tokens_) / of_.rate * 1000);
      fields = {{"x-ratelimit-limit-requests", std::to_string(std::llround(of_.burst))},
                {"x-ratelimit-remaining-requests",
                 std::to_string(static_cast<long long>(std::floor(tokens_)))},
                {"x-ratelimit-reset-requests", std::to_string(reset) + "ms"}};
    }
    return fine;
  }

  const settings of_;
  mutable std::mutex mutex_;
  double tokens_;
  steady_clock::time_point begun_, last_;
  std::vector<std::pair<int, int>> seconds_;
  http_stand_in server_;
};

asio::awaitable<void> call_for_ever(limits::service& limits, http::client& client,
                                    std::string url) {
  for (;;) {
    auto held = co_await limits.permit("stand-in");
    const http::request request(url);
    const auto answer = co_await client.send(request);
    held.report(limits::facts_of(answer));
  }
}

int call(const settings& of) {
  asio::io_context io;
  pg::settings database;
  database.url = of.database_url;
  services engine(io.get_executor(),
                  std::make_shared<handler_sessions>(io.get_executor(), database, 2),
                  std::make_shared<logger>(log_level::warn, "limits_run"));
  limits::service limits(engine, environment(std::map<std::string, std::string>{}));
  http::client client(io.get_executor());
  for (int i = 0; i < of.callers; ++i) {
    asio::co_spawn(io, call_for_ever(limits, client, of.call),
                   [](const std::exception_ptr& thrown) {
                     if (thrown) std::rethrow_exception(thrown);
                   });
  }
  io.run_for(std::chrono::seconds(of.seconds));
  std::printf("%.1f statements a second\n", static_cast<double>(limits.statements()) / of.seconds);
  return 0;
}

int run(const settings& of, const char* self) {
  token_bucket_server server(of);
  const auto seconds = std::to_string(of.seconds);
  const auto url = server.url();
  std::vector<pid_t> children;
  for (int i = 0; i < of.processes; ++i) {
    const auto child = fork();
    if (child == 0) {
      execl(self, self, "--database-url", of.database_url.c_str(), "--call", url.c_str(),
            "--seconds", seconds.c_str(), nullptr);
      _exit(127);
    }
    children.push_back(child);
  }
  int failed = 0;
  for (const auto child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    failed += status == 0 ? 0 : 1;
  }
  server.print();
  return failed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace rowrunner::testing

int main(int argc, char** argv) {
  rowrunner::testing::settings of;
  CLI::App app("Several processes share the limit of a local web server");
  app.add_option("--database-url", of.database_url)->required();
  app.add_option("--call", of.call, "be one of the processes, and call this address");
  app.add_option("--processes", of.processes);
  app.add_option("--callers", of.callers, "calls of a process at a time, at most");
  app.add_option("--seconds", of.seconds);
  app.add_option("--rate", of.rate);
  app.add_option("--burst", of.burst);
  app.add_option("--latency", of.latency_ms, "milliseconds of an answer");
  app.add_flag("--headers", of.headers, "the server tells its limit");
  CLI11_PARSE(app, argc, argv);
  return of.call.empty() ? rowrunner::testing::run(of, "/proc/self/exe")
                         : rowrunner::testing::call(of);
}
