#include "api/metrics.hpp"

#include "admin/metrics.hpp"
#include "api/routes.hpp"
#include "api/services.hpp"

namespace rowrunner::api {
namespace {

/// Nothing while the database does not answer: old figures would look like new ones.
asio::awaitable<std::shared_ptr<const overview>> fresh_overview(services& with) {
  std::shared_ptr<const overview> newest;
  try {
    newest = co_await with.overview.get(with);
  } catch (const std::exception&) {
    // The board has logged it.
  }
  if (newest && newest->stale) newest.reset();
  co_return newest;
}

void add_server(exposition& out, const services& with) {
  out.gauge("rowrunner_viewers", "WebSockets and event streams that watch jobs on this server.");
  out.sample({}, static_cast<double>(with.live.viewers()));
  out.gauge("rowrunner_watched_jobs", "Jobs that are watched on this server.");
  out.sample({}, static_cast<double>(with.live.watched()));
  out.counter("rowrunner_reconnects_total",
              "Database connections that this process opened in place of one that was lost.");
  out.sample({}, static_cast<double>(with.database.reconnects() +
                                     with.caller_database.reconnects() + with.live.reconnects()));
}

/// What workloads answer below /metrics is shown here, too.
asio::awaitable<std::string> workload_metrics(services& with, const request& asked) {
  std::string out;
  for (const auto& each : with.routes) {
    if (!each.path.starts_with("/metrics/")) continue;
    try {
      const auto more = co_await each.run(with, asked);
      out += more.body;
    } catch (const std::exception& why) {
      with.log->warn("metrics of a workload are absent",
                     {{"path", std::string(each.path)}, {"error", why.what()}});
    }
  }
  co_return out;
}

}  // namespace

answer metrics_answer(const exposition& of) {
  answer out;
  out.status = 200;
  out.content_type = exposition::content_type;
  out.body = of.text();
  return out;
}

asio::awaitable<answer> show_metrics(services& with, const request& asked) {
  const auto newest = co_await fresh_overview(with);
  exposition out;
  out.gauge("rowrunner_database_up",
            "1 if the database answered; otherwise the figures of its jobs are absent.");
  out.sample({}, newest ? 1 : 0);
  if (newest) admin::add_metrics(out, newest->stats, with.limits.vacuum_alarm);
  add_server(out, with);
  auto whole = metrics_answer(out);
  if (newest) whole.body += co_await workload_metrics(with, asked);
  co_return whole;
}

}  // namespace rowrunner::api
