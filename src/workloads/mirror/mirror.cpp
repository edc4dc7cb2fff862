#include "workloads/mirror/mirror.hpp"

#include <pthread.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <csignal>
#include <set>
#include <thread>

#include "common/event.hpp"
#include "workloads/mirror/kind_mirror.hpp"
#include "workloads/mirror/outage.hpp"
#include "workloads/mirror/queue_mirror.hpp"

namespace rowrunner::mirror {
namespace {

using clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds tick{500};
/// How often a process that does not do the work asks whether it should.
constexpr std::chrono::milliseconds idle_tick{2000};
constexpr std::chrono::seconds kinds_are_fresh_for{5};

std::string explain(const pg::query_error& error) {
  const bool missing = error.sqlstate() == "42P01" || error.sqlstate() == "3F000";
  return std::string("PostgreSQL: ") + error.what() +
         (missing ? "; run 'rowrunner migrate' with the settings of Redis" : "");
}

}  // namespace

/// Decides when to do what. It runs in one thread, which also waits for Redis.
class mirror::loop {
 public:
  loop(const asio::any_io_executor& executor, const mirror_options& options,
       std::shared_ptr<logger> log)
      : options_(options),
        log_(std::move(log)),
        source_(executor, options_.database),
        queues_(source_, options_.queues),
        stop_(executor) {}

  asio::awaitable<void> run() {
    while (!stopping_) {
      co_await try_round();
      co_await stop_.wait_for(pause());
    }
    // What was committed before the end, unless it would have to wait for a lock.
    if (!trouble_.wait()) co_await try_round();
    co_await let_go();
  }

  void stop() {
    stopping_ = true;
    stop_.set();
  }

 private:
  asio::awaitable<void> try_round() {
    std::string problem;
    try {
      co_await round();
    } catch (const redis_unavailable& error) {
      problem = std::string("Redis: ") + error.what();
    } catch (const pg::query_error& error) {
      problem = explain(error);
    } catch (const std::exception& error) {
      problem = std::string("PostgreSQL: ") + error.what();
    }
    tell(problem);
    if (problem.empty()) co_return;
    redis_.reset();
    // Another process may reach what this one does not.
    if (holding_) co_await let_go();
  }

  asio::awaitable<void> round() {
    const bool held_before = holding_;
    holding_ = co_await source_.hold();
    if (!holding_) co_return;
    if (!held_before) begin();
    if (!redis_) redis_.emplace(options_.redis);
    if (clock::now() - kinds_read_ > kinds_are_fresh_for) co_await read_kinds();
    for (const auto& kind : kinds_) co_await catch_up(kind);
    co_await queues_.catch_up(kinds_, *redis_, clock::now());
  }

  void begin() {
    for (auto& [name, each] : by_kind_) each.forget();
    queues_.forget();
  }

  /// The table of one kind may be locked or gone, which must not hold up the others.
  asio::awaitable<void> catch_up(const mirrored_kind& kind) {
    auto& mine = of(kind);
    std::string problem;
    try {
      co_await mine.catch_up(kind, *redis_);
    } catch (const pg::query_error& error) {
      problem = error.what();
    }
    auto& trouble = kind_trouble_[kind.kind];
    if (problem.empty()) {
      trouble.worked();
    } else if (trouble.failed(problem)) {
      log_->warn("the statuses of a kind cannot be mirrored",
                 {{"kind", kind.kind}, {"error", problem}});
    }
  }

  kind_mirror& of(const mirrored_kind& kind) {
    const auto found = by_kind_.find(kind.kind);
    if (found != by_kind_.end()) return found->second;
    std::vector<status_projection> forms{{kind.kind, "job:status:", api::document_json}};
    for (const auto& each : options_.statuses) {
      if (each.kind == kind.kind) forms.push_back(each);
    }
    return by_kind_.try_emplace(kind.kind, source_, *log_, std::move(forms)).first->second;
  }

  asio::awaitable<void> read_kinds() {
    kinds_ = co_await source_.kinds();
    kinds_read_ = clock::now();
    std::set<std::string_view> mirrored;
    for (const auto& each : kinds_) mirrored.insert(each.kind);
    for (const auto& each : options_.statuses) {
      if (mirrored.contains(each.kind) || !told_.insert(std::string(each.kind)).second) continue;
      log_->warn("a kind is not mirrored: run 'rowrunner migrate' with the settings of Redis",
                 {{"kind", each.kind}});
    }
  }

  void tell(const std::string& problem) {
    if (!problem.empty()) {
      if (trouble_.failed(problem)) {
        log_->warn("statuses cannot be mirrored now: jobs go on, and Redis gets them later",
                   {{"redis", options_.redis.shown()}, {"error", problem}});
      }
    } else if (trouble_.worked() || (holding_ && !std::exchange(began_, true))) {
      log_->info("statuses are mirrored", {{"redis", options_.redis.shown()}});
    }
  }

  asio::awaitable<void> let_go() {
    holding_ = false;
    try {
      co_await source_.let_go();
    } catch (const pg::error& error) {
      log_->debug("the mirror could not be let go", {{"error", error.what()}});
    }
  }

  clock::duration pause() const {
    if (const auto wait = trouble_.wait()) return *wait;
    for (const auto& [name, each] : by_kind_) {
      if (holding_ && each.has_more()) return {};
    }
    return holding_ ? tick : idle_tick;
  }

  const mirror_options options_;
  const std::shared_ptr<logger> log_;
  status_source source_;
  queue_mirror queues_;
  event stop_;
  bool stopping_ = false;
  bool holding_ = false;
  bool began_ = false;
  std::optional<redis_connection> redis_;
  outage trouble_;
  std::map<std::string, outage> kind_trouble_;
  std::map<std::string, kind_mirror> by_kind_;
  std::vector<mirrored_kind> kinds_;
  clock::time_point kinds_read_{};
  std::set<std::string> told_;
};

struct mirror::parts {
  parts(mirror_options options, std::shared_ptr<logger> log)
      : work(io.get_executor(), std::move(options), std::move(log)) {}

  asio::io_context io;
  loop work;
  std::thread thread;
};

mirror::mirror(mirror_options options, std::shared_ptr<logger> log) {
  // Statements name their schemas; behind a pooler and without one it costs the same.
  options.database.pooled = true;
  options.database.system_names_only = true;
  options.database.application_name = "rowrunner mirror";
  options.database.connect_timeout = std::chrono::seconds(3);
  options.database.answer_timeout = std::chrono::seconds(5);
  options.database.statement_timeout = std::chrono::seconds(4);
  parts_ = std::make_unique<parts>(std::move(options), std::move(log));
  asio::co_spawn(parts_->io, parts_->work.run(), asio::detached);
  parts_->thread = std::thread([this] {
    // hiredis writes to a connection that Redis may have closed; signals are for other threads.
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, nullptr);
    parts_->io.run();
  });
}

mirror::~mirror() {
  asio::post(parts_->io, [this] { parts_->work.stop(); });
  parts_->thread.join();
}

}  // namespace rowrunner::mirror
