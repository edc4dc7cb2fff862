#include "admin/stats.hpp"

#include <unistd.h>

#include <csignal>
#include <ctime>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "admin/metrics.hpp"
#include "apps/commands.hpp"
#include "command/database.hpp"
#include "command/output.hpp"
#include "common/errors.hpp"
#include "common/text.hpp"
#include "program/setting.hpp"

namespace rowrunner {
namespace {

using admin::kind_stats;
using nlohmann::ordered_json;

std::string bounded(std::int64_t count) {
  constexpr auto limit = kind_stats::count_limit;
  return count > limit ? std::to_string(limit) + "+" : std::to_string(count);
}

ordered_json text_or_null(const std::string& value) {
  return value.empty() ? ordered_json() : ordered_json(printable(value, 1000));
}

ordered_json as_json(const kind_stats& stats) {
  ordered_json last_hour;
  for (const auto& event : admin::event_names) {
    last_hour[event.name] = stats.last_hour.*event.count;
  }
  return {
      {"kind", stats.kind},
      {"state", stats.state()},
      {"paused", stats.paused},
      {"waiting", kind_stats::limited(stats.waiting)},
      {"waiting_is_lower_bound", stats.waiting > kind_stats::count_limit},
      {"waiting_is_approximate", stats.waiting_is_approximate},
      {"delayed", kind_stats::limited(stats.delayed)},
      {"held", kind_stats::limited(stats.held)},
      {"running", stats.running},
      {"failed", kind_stats::limited(stats.failed)},
      {"oldest_waiting_seconds",
       stats.oldest_waiting_seconds ? ordered_json(*stats.oldest_waiting_seconds) : ordered_json()},
      {"locked_by", stats.locked_by ? text_or_null(*stats.locked_by) : ordered_json()},
      {"workers", stats.workers.live},
      {"failing_workers", stats.workers.failing},
      {"claims_fail_because", text_or_null(stats.claims_fail_because)},
      {"unclaimable", kind_stats::limited(stats.unclaimable)},
      {"unclaimable_because", text_or_null(stats.unclaimable_because)},
      {"last_hour", last_hour}};
}

std::string oldest(const kind_stats& stats) {
  if (stats.locked_by) return "?";
  return stats.oldest_waiting_seconds ? duration_text(*stats.oldest_waiting_seconds) : "-";
}

std::string as_text(const std::vector<kind_stats>& all) {
  constexpr auto right = text_table::align::right;
  text_table table({{"KIND"},
                    {"STATE"},
                    {"WORKERS", right},
                    {"WAITING", right},
                    {"OLDEST", right},
                    {"DELAYED", right},
                    {"HELD", right},
                    {"RUNNING", right},
                    {"FAILED", right},
                    {"│ LAST HOUR: DONE", right},
                    {"FAILED", right},
                    {"RETRIED", right},
                    {"RESCUED", right},
                    {"REFUSED", right}});
  for (const auto& stats : all) {
    const auto& c = stats.last_hour;
    table.add({stats.kind, std::string(stats.state()), std::to_string(stats.workers.live),
               (stats.waiting_is_approximate ? "~" : "") + bounded(stats.waiting), oldest(stats),
               bounded(stats.delayed), bounded(stats.held), std::to_string(stats.running),
               bounded(stats.failed), std::to_string(c.succeeded), std::to_string(c.failed),
               std::to_string(c.retried), std::to_string(c.rescued), std::to_string(c.refused)});
  }
  std::ostringstream out;
  table.print(out);
  return out.str();
}

ordered_json as_json(const vacuum_blocker& holder) {
  return {{"what", holder.what},
          {"name", text_or_null(holder.name)},
          {"application", text_or_null(holder.application)},
          {"user", text_or_null(holder.user)},
          {"state", text_or_null(holder.state)},
          {"since", text_or_null(holder.since)},
          {"held_seconds", holder.seconds ? ordered_json(*holder.seconds) : ordered_json()},
          {"transactions", holder.transactions},
          {"statement", text_or_null(holder.statement)},
          {"advice", advice_for(holder)}};
}

/// The figures of the oldest snapshot are always there, so that they can be charted; who holds it
/// is named once it is too long.
ordered_json as_json(const std::vector<vacuum_blocker>& holders, std::chrono::milliseconds alarm) {
  ordered_json held_by = ordered_json::array();
  for (const auto& holder : holders) {
    if (holds_too_long(holder, alarm)) held_by.push_back(as_json(holder));
  }
  const auto longest = longest_held(holders);
  return {{"held_seconds", longest.seconds},
          {"transactions", longest.transactions},
          {"held_by", held_by}};
}

constexpr std::size_t widest = 100;

/// What keeps jobs of the kind from being claimed; empty if nothing does.
std::string claim_problems(const kind_stats& stats) {
  std::string out;
  if (stats.locked_by) {
    out += "\nThe table of " + stats.kind + " is locked by " + one_line(*stats.locked_by, widest) +
           ": none of its jobs can be read or claimed.\n  What to do: wait until that transaction "
           "has ended, or end it.\n";
  }
  if (stats.workers.failing > 0) {
    out +=
        "\nClaims of " + stats.kind + " fail: " + one_line(stats.claims_fail_because, widest) +
        ".\n  What to do: the log of the worker has the whole error; see also rowrunner doctor.\n";
  }
  if (stats.unclaimable > 0) {
    out += "\n" + bounded(stats.unclaimable) + (stats.unclaimable == 1 ? " job of " : " jobs of ") +
           stats.kind + " cannot be claimed: " + one_line(stats.unclaimable_because, widest) +
           ".\n  What to do: make the rows fit; rowrunner jobs list --kind " + stats.kind +
           " --status delayed lists them.\n";
  }
  return out;
}

std::string as_text(const vacuum_blocker& holder) {
  std::string out = "Dead rows are kept";
  if (holder.seconds) out += " since " + holder.since + " (" + duration_text(*holder.seconds) + ")";
  out += " by " + one_line(text_of(holder), widest) + ".\n";
  if (!holder.statement.empty())
    out += "  Its statement: " + one_line(holder.statement, widest) + "\n";
  return out + "  What to do: " + one_line(advice_for(holder), 2 * widest) + "\n";
}

enum class format { text, json, prometheus };

void print_json(const admin::database_stats& stats, std::chrono::milliseconds alarm) {
  ordered_json list = ordered_json::array();
  for (const auto& each : stats.kinds) list.push_back(as_json(each));
  std::cout << ordered_json{{"kinds", list}, {"horizon", as_json(stats.vacuum_blockers, alarm)}}
            << '\n';
}

void print_text(const admin::database_stats& stats, std::chrono::milliseconds alarm) {
  std::cout << as_text(stats.kinds);
  for (const auto& kind : stats.kinds) std::cout << claim_problems(kind);
  for (const auto& blocker : stats.vacuum_blockers) {
    if (holds_too_long(blocker, alarm)) std::cout << '\n' << as_text(blocker);
  }
}

void print_metrics(const admin::database_stats& stats, std::chrono::milliseconds alarm) {
  exposition out;
  add_metrics(out, stats, alarm);
  std::cout << out.text();
}

void print_stats(command_database& from, format how, std::chrono::milliseconds alarm) {
  const auto stats = from.run(admin::read_stats);
  if (how == format::prometheus) print_metrics(stats, alarm);
  if (how == format::json) print_json(stats, alarm);
  if (how == format::text) print_text(stats, alarm);
  std::cout << std::flush;
}

/// A database that is away is waited for: it may be starting again.
void print_stats_if_there(command_database& from, format how, std::chrono::milliseconds alarm) {
  try {
    print_stats(from, how, alarm);
  } catch (const database_away& gone) {
    std::cerr << "rowrunner: " << gone.what() << "; trying again" << std::endl;
  }
}

// Waits for Ctrl-C or SIGTERM; true if one came in that time. Both are blocked, so that they can
// only arrive here.
bool interrupted_within(double seconds, const sigset_t& signals) {
  timespec limit{};
  limit.tv_sec = static_cast<std::time_t>(seconds);
  limit.tv_nsec = static_cast<long>((seconds - static_cast<double>(limit.tv_sec)) * 1e9);
  return sigtimedwait(&signals, nullptr, &limit) > 0;
}

void watch_stats(command_database& from, format how, std::chrono::milliseconds alarm,
                 double seconds) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  const bool redraw = how == format::text && isatty(STDOUT_FILENO) == 1;
  do {
    if (redraw) std::cout << "\x1b[H\x1b[2J" << std::flush;
    print_stats_if_there(from, how, alarm);
  } while (!interrupted_within(seconds, signals));
}

}  // namespace

void add_stats_command(CLI::App& app, command_context& context) {
  auto* command = app.add_subcommand("stats", "What waits, runs and failed, per kind");
  auto seconds = std::make_shared<double>(2);
  auto* watch = command->add_option("--watch", *seconds, "Show it again every SECONDS (2)")
                    ->expected(0, 1)
                    ->type_name("[SECONDS]")
                    ->check(CLI::Range(0.1, 3600.0));
  auto metrics = std::make_shared<bool>(false);
  command
      ->add_flag("--prometheus", *metrics,
                 "As metrics, for a file that Prometheus' node_exporter reads; not with --json")
      ->excludes(watch);
  auto alarm = std::make_shared<std::optional<double>>();
  command->add_option("--vacuum-blocker-alarm", *alarm,
                      "Name sessions that have blocked VACUUM for so many SECONDS\n"
                      "(VACUUM_BLOCKER_ALARM, default 300, 0 never)");
  command->footer(
      "Examples:\n"
      "  rowrunner stats\n"
      "  rowrunner stats --watch 5\n"
      "  rowrunner stats --json | jq '.kinds[].waiting'\n"
      "  rowrunner stats --prometheus > new && mv new rowrunner.prom");
  command->callback([&context, seconds, alarm, watch, metrics] {
    const bool again = watch->count() > 0;
    context.action = [&context, seconds, alarm, again, metrics] {
      if (*metrics && context.json) throw usage_error("choose --json or --prometheus");
      const auto how = *metrics ? format::prometheus : context.json ? format::json : format::text;
      const auto held = vacuum_blocker_alarm_setting(*alarm, context.env);
      command_database from(context);
      from.require_served();
      if (again) {
        watch_stats(from, how, held, *seconds);
      } else {
        print_stats(from, how, held);
      }
    };
  });
}

}  // namespace rowrunner
