#include "worker/finish_group.hpp"

#include <algorithm>
#include <random>

#include "common/pg/array.hpp"
#include "common/pg/binary_array.hpp"
#include "common/schema/job_status.hpp"
#include "common/text.hpp"
#include "worker/lane.hpp"

namespace rowrunner {

namespace {

constexpr std::size_t longest_error = 8000;
constexpr std::chrono::milliseconds longest_delay = std::chrono::hours{24 * 3650};

std::int64_t ran_ms(const running_job& job) {
  if (job.started == std::chrono::steady_clock::time_point{}) return 0;
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() -
                                                               job.started)
      .count();
}

}  // namespace

std::vector<finisher::group> finisher::grouped(const batch& verdicts) {
  std::vector<group> groups;
  for (const auto& v : verdicts) {
    auto* lane = v.job->lane;
    const auto what = v.result.index();
    auto found = std::find_if(groups.begin(), groups.end(), [&](const group& g) {
      return g.lane == lane && g.kind_of_outcome == what;
    });
    if (found == groups.end()) found = groups.insert(groups.end(), {lane, what, {}});
    found->members.push_back(&v);
  }
  for (auto& g : groups) {
    // Rows are locked in the order of their ids, by everybody; only what goes back to the front of
    // the line goes last first, so that it stands there in its old order.
    const bool back = g.kind_of_outcome == 2;
    const auto before = [&](const verdict* a, const verdict* b) {
      return back ? b->job->position < a->job->position : a->job->id < b->job->id;
    };
    // Usually they are: ids grow with the places in line.
    if (!std::is_sorted(g.members.begin(), g.members.end(), before)) {
      std::sort(g.members.begin(), g.members.end(), before);
    }
  }
  return groups;
}

pg::call finisher::call_for(const group& g) {
  std::vector<std::string_view> ids;
  std::vector<std::string> texts;
  std::vector<std::int64_t> leases, delays, ran;
  std::vector<bool> finals;
  std::uniform_real_distribution<double> random;
  for (const auto* v : g.members) {
    ids.push_back(v->job->id);
    leases.push_back(v->job->lease);
    if (const auto* f = std::get_if<failed>(&v->result)) {
      texts.push_back(printable(f->error, longest_error));
      const auto after =
          f->after.value_or(g.lane->options.retry.delay(v->job->attempts + 1, random(rng_)));
      delays.push_back(std::clamp(after, std::chrono::milliseconds{0}, longest_delay).count());
      finals.push_back(f->final);
      ran.push_back(ran_ms(*v->job));
    } else if (const auto* s = std::get_if<snoozed>(&v->result)) {
      delays.push_back(std::clamp(s->after, std::chrono::milliseconds{0}, longest_delay).count());
    } else if (const auto* c = std::get_if<cancelled>(&v->result)) {
      texts.push_back(printable(c->reason, longest_error));
    }
  }
  const auto& sql = g.lane->sql;
  const auto& cancelled_word = g.lane->kind.cancelled_status;
  switch (g.kind_of_outcome) {
    case 0:
      return pg::with(sql.succeed, pg::uuid_array(ids), pg::int_array(leases));
    case 1:
      return pg::with(sql.fail, pg::uuid_array(ids), pg::int_array(leases), pg::array(texts),
                      pg::array(delays), pg::array(finals), pg::array(ran), cancelled_word,
                      worker_name_, std::to_string(g.lane->kind.id));
    case 2:
      return pg::with(sql.give_back, pg::uuid_array(ids), pg::int_array(leases), pg::array(delays),
                      cancelled_word);
    default:
      return pg::with(sql.end_cancelled, pg::uuid_array(ids), pg::int_array(leases),
                      pg::array(texts), cancelled_word);
  }
}

std::vector<std::optional<std::string_view>> finisher::group::read(const pg::result& answer) const {
  std::vector<std::optional<std::string_view>> found(members.size());
  if (kind_of_outcome == 0) {
    for (const auto number : pg::read_int_array(answer.get(0, 0))) {
      found.at(static_cast<std::size_t>(number - 1)) = job_status::succeeded;
    }
    return found;
  }
  const auto answered = statuses(answer);
  for (std::size_t i = 0; i < members.size(); ++i) {
    const auto status = answered.find(claim_of(*members[i]));
    if (status != answered.end()) found[i] = status->second;
  }
  return found;
}

void finisher::account(const group& g, const pg::result& answer) {
  const auto found = g.read(answer);
  for (std::size_t i = 0; i < g.members.size(); ++i) account_one(*g.members[i], found[i]);
}

void finisher::account_one(const verdict& v, std::optional<std::string_view> answered_status) {
  auto& lane = *v.job->lane;
  const auto log = [&](log_level level, std::string_view what, const std::string& error) {
    if (!log_.enabled(level)) return;
    log_.event(level, what,
               {{"kind", lane.options.kind},
                {"job", v.job->id},
                {"lease", v.job->lease},
                {"attempt", v.job->attempts + 1},
                {"duration_ms", ran_ms(*v.job)},
                {"error", error}});
  };
  if (!answered_status) {
    lane.count(&worker_counts::refused);
    log(log_level::warn, "refused: the lease of the job is lost", "");
  } else if (std::holds_alternative<succeeded>(v.result)) {
    lane.count(&worker_counts::succeeded);
    log(log_level::debug, "succeeded", "");
  } else if (const auto* f = std::get_if<failed>(&v.result)) {
    const bool again = *answered_status == job_status::queued;
    lane.count(again ? &worker_counts::retried : &worker_counts::failed);
    log(again ? log_level::warn : log_level::error, again ? "failed, will be retried" : "failed",
        f->error);
  } else if (std::holds_alternative<snoozed>(v.result)) {
    lane.count(&worker_counts::released);
    log(log_level::debug, "given back", "");
  } else {
    lane.count(&worker_counts::cancelled);
    log(log_level::info, "cancelled", std::get<cancelled>(v.result).reason);
  }
}

}  // namespace rowrunner
