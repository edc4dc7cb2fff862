#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/pg/result.hpp"
#include "common/pg/statement.hpp"
#include "worker/verdict.hpp"

namespace rowrunner {

/// The statement that writes an ending: the end of a job. Snoozed and released jobs share one.
enum class end_statement { succeed, fail, release, end_cancelled };
end_statement statement_of(const ending& how);

/// The verdicts of one lane that take the same statement.
struct end_group {
  rowrunner::lane* lane;
  end_statement statement;
  std::vector<const verdict*> members;
};

/// The groups of a batch, each in the order in which its rows are to be written.
std::vector<end_group> grouped(const std::vector<verdict>& verdicts);

/// What writes the group. `random` is for the delays of retries.
pg::call call_for(const end_group& group, const std::string& worker_name, std::mt19937_64& random);

/// Adds what writes the last reports of the group's jobs.
void append_last_progress(std::vector<pg::call>& calls, const end_group& group);

/// What the answer says of each member: the status that it has now, or nothing if it did not count.
/// The views live as long as the answer.
std::vector<std::optional<std::string_view>> read_ends(const end_group& group,
                                                       const pg::result& answer);

/// Asks for the attempts that the failures of the group have left behind. A failed job no longer
/// has the lease of its attempt, so its row does not tell.
pg::call attempts_call(const pg::statement& statement, const end_group& group,
                       const std::string& worker_name);

/// What the jobs of the group are now, as `jobs` (the answer of reread) and `attempts` (that of
/// attempts_call, if the group has failed) say: the status that its end gave to a job, or
/// processing; nothing if it no longer has the lease and no end of ours is to be seen.
std::vector<std::optional<std::string_view>> read_again(const end_group& group,
                                                        const pg::result& jobs,
                                                        const pg::result* attempts);

/// How long the job has run.
std::int64_t ran_ms(const running_job& job);

/// What an answer is about. The id alone would not do: after a crash of the server that lost a
/// claim, one worker may run the same job under the lost lease and a new one.
using claim_key = std::pair<std::string, std::int64_t>;

inline claim_key claim_of(const verdict& v) { return {v.job->id, v.job->lease}; }

/// The answer of a statement that ends or reads jobs: id, lease and, where it varies, the status.
std::map<claim_key, std::string_view> statuses(const pg::result& answer);

}  // namespace rowrunner
