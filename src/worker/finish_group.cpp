#include "worker/finish_group.hpp"

#include <algorithm>

#include "common/pg/array.hpp"
#include "common/pg/binary_array.hpp"
#include "common/schema/job_status.hpp"
#include "common/text.hpp"
#include "worker/lane.hpp"
#include "worker/progress_writer.hpp"

namespace rowrunner {

namespace {

constexpr std::size_t longest_error = 8000;
constexpr std::chrono::milliseconds longest_delay = std::chrono::hours{24 * 3650};

std::int64_t delay_ms(std::chrono::milliseconds after) {
  return std::clamp(after, std::chrono::milliseconds{0}, longest_delay).count();
}

/// The parameters of a group's statement, one entry per job in each list that it takes.
struct end_lists {
  std::vector<std::string_view> ids;
  std::vector<std::int64_t> leases, delays, ran;
  std::vector<std::string> texts;
  std::vector<bool> finals;

  void add(const verdict& v, std::mt19937_64& random) {
    ids.push_back(v.job->id);
    leases.push_back(v.job->lease);
    std::visit(
        overloaded{
            [](const succeeded&) {}, [&](const failed& how) { add_failure(v, how, random); },
            [&](const snoozed& how) { delays.push_back(delay_ms(how.after)); },
            [&](const released&) { delays.push_back(0); },
            [&](const cancelled& how) { texts.push_back(printable(how.reason, longest_error)); }},
        v.result);
  }

  void add_failure(const verdict& v, const failed& how, std::mt19937_64& random) {
    const double luck = std::uniform_real_distribution<double>{}(random);
    texts.push_back(printable(how.error, longest_error));
    delays.push_back(
        delay_ms(how.after.value_or(v.job->lane->options.retry.delay(v.job->attempts + 1, luck))));
    finals.push_back(how.final);
    ran.push_back(ran_ms(*v.job));
  }
};

}  // namespace

std::int64_t ran_ms(const running_job& job) {
  if (job.started == std::chrono::steady_clock::time_point{}) return 0;
  const auto ran = std::chrono::steady_clock::now() - job.started;
  return std::chrono::duration_cast<std::chrono::milliseconds>(ran).count();
}

end_statement statement_of(const ending& how) {
  return std::visit(overloaded{[](const succeeded&) { return end_statement::succeed; },
                               [](const failed&) { return end_statement::fail; },
                               [](const snoozed&) { return end_statement::release; },
                               [](const released&) { return end_statement::release; },
                               [](const cancelled&) { return end_statement::end_cancelled; }},
                    how);
}

std::vector<end_group> grouped(const std::vector<verdict>& verdicts) {
  std::vector<end_group> groups;
  for (const auto& v : verdicts) {
    auto* const lane = v.job->lane;
    const auto statement = statement_of(v.result);
    auto found = std::find_if(groups.begin(), groups.end(), [&](const end_group& g) {
      return g.lane == lane && g.statement == statement;
    });
    if (found == groups.end()) found = groups.insert(groups.end(), {lane, statement, {}});
    found->members.push_back(&v);
  }
  for (auto& g : groups) {
    // Within one statement rows are locked in the order of their ids, by all workers. Only a
    // release goes from the last position in the queue to the first, because each job goes to the
    // front.
    const bool back = g.statement == end_statement::release;
    const auto before = [&](const verdict* a, const verdict* b) {
      return back ? b->job->position < a->job->position : a->job->id < b->job->id;
    };
    // Usually they are: ids grow with the positions in the queue.
    if (!std::is_sorted(g.members.begin(), g.members.end(), before)) {
      std::sort(g.members.begin(), g.members.end(), before);
    }
  }
  return groups;
}

pg::call call_for(const end_group& group, const std::string& worker_name, std::mt19937_64& random) {
  end_lists lists;
  for (const auto* v : group.members) lists.add(*v, random);
  auto ids = pg::uuid_array(lists.ids);
  auto leases = pg::int_array(lists.leases);
  const auto& sql = group.lane->sql;
  const auto& cancelled_status = group.lane->kind.cancelled_status;
  switch (group.statement) {
    case end_statement::succeed:
      return pg::with(sql.succeed, std::move(ids), std::move(leases));
    case end_statement::fail:
      return pg::with(sql.fail, std::move(ids), std::move(leases), pg::array(lists.texts),
                      pg::array(lists.delays), pg::array(lists.finals), pg::array(lists.ran),
                      cancelled_status, worker_name, std::to_string(group.lane->kind.id));
    case end_statement::release:
      return pg::with(sql.release, std::move(ids), std::move(leases), pg::array(lists.delays),
                      cancelled_status);
    case end_statement::end_cancelled:
      break;
  }
  return pg::with(sql.end_cancelled, std::move(ids), std::move(leases), pg::array(lists.texts),
                  cancelled_status);
}

void append_last_progress(std::vector<pg::call>& calls, const end_group& group) {
  std::vector<const running_job*> jobs;
  for (const auto* v : group.members) {
    if (v->job->progress) jobs.push_back(v->job.get());
  }
  if (jobs.empty()) return;
  std::sort(jobs.begin(), jobs.end(), [](const auto* a, const auto* b) { return a->id < b->id; });
  calls.push_back(progress_call(group.lane->sql.progress_at_end, *group.lane, jobs));
}

std::vector<std::optional<std::string_view>> read_ends(const end_group& group,
                                                       const pg::result& answer) {
  std::vector<std::optional<std::string_view>> found(group.members.size());
  if (group.statement == end_statement::succeed) {
    for (const auto number : pg::read_int_array(answer.get(0, 0))) {
      found.at(static_cast<std::size_t>(number - 1)) = job_status::succeeded;
    }
    return found;
  }
  const auto answered = statuses(answer);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto status = answered.find(claim_of(*group.members[i]));
    if (status != answered.end()) found[i] = status->second;
  }
  return found;
}

pg::call attempts_call(const pg::statement& statement, const end_group& group,
                       const std::string& worker_name) {
  std::vector<std::string_view> ids;
  std::vector<std::int64_t> leases, numbers;
  std::vector<std::string> errors;
  for (const auto* v : group.members) {
    ids.push_back(v->job->id);
    leases.push_back(v->job->lease);
    numbers.push_back(v->job->attempts + 1);
    errors.push_back(printable(std::get<failed>(v->result).error, longest_error));
  }
  return pg::with(statement, std::to_string(group.lane->kind.id), pg::uuid_array(ids),
                  pg::int_array(leases), pg::array(numbers), pg::array(errors), worker_name);
}

std::vector<std::optional<std::string_view>> read_again(const end_group& group,
                                                        const pg::result& jobs,
                                                        const pg::result* attempts) {
  const auto under_lease = statuses(jobs);
  const auto charged =
      attempts == nullptr ? std::map<claim_key, std::string_view>{} : statuses(*attempts);
  std::vector<std::optional<std::string_view>> found(group.members.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    const auto& v = *group.members[i];
    if (const auto status = under_lease.find(claim_of(v)); status != under_lease.end()) {
      found[i] = status->second;
    } else if (charged.contains(claim_of(v))) {
      const bool spent = v.job->attempts + 1 >= v.job->max_attempts;
      found[i] =
          spent || std::get<failed>(v.result).final ? job_status::failed : job_status::queued;
    }
  }
  return found;
}

std::map<claim_key, std::string_view> statuses(const pg::result& answer) {
  std::map<claim_key, std::string_view> found;
  for (int row = 0; row < answer.rows(); ++row) {
    found.emplace(claim_key{answer.get(row, 0), answer.get_int(row, 1)},
                  answer.columns() > 2 ? answer.get(row, 2) : "");
  }
  return found;
}

}  // namespace rowrunner
