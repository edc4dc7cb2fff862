#include "chaos/runner/enqueuers.hpp"

#include <algorithm>
#include <fstream>
#include <rowrunner/enqueue.hpp>

#include "chaos/behaviour.hpp"
#include "common/pg/exec.hpp"
#include "support/paths.hpp"
#include "support/process.hpp"

namespace rowrunner::chaos {

using namespace std::chrono_literals;

namespace {

constexpr int chaos_threads = 2;
constexpr std::uint64_t most_at_once = 6;
constexpr auto most_behind = 1s;
constexpr std::uint64_t spots_of_a_plan = 3;
/// Of so many jobs one comes a second time, a while later.
constexpr std::uint64_t one_again_in = 30;
constexpr std::uint64_t again_after = 50;
/// Of so many transactions one has jobs that run after the others.
constexpr std::uint64_t one_family_in = 8;
/// So many stay that could be deleted, so that most of them have had time to be run.
constexpr std::size_t least_deletable = 3;

new_job job_named(const std::string& name) {
  new_job job;
  job.columns["name"] = name;
  return job;
}

}  // namespace

std::string patient(const std::string& url) {
  return url + "?connect_timeout=3&tcp_user_timeout=5000&keepalives_idle=2";
}

enqueuers::enqueuers(std::uint64_t seed, const history& record, std::string url,
                     std::string direct_url)
    : seed_(seed), record_(record), url_(std::move(url)), direct_url_(std::move(direct_url)) {}

enqueuers::~enqueuers() { stop(); }

void enqueuers::start(int jobs_per_second) {
  per_second_ = std::max(jobs_per_second, 1);
  for (int i = 0; i < chaos_threads; ++i) threads_.emplace_back([this, i] { run(i); });
  threads_.emplace_back([this] { run_pictures(); });
}

void enqueuers::stop() {
  stopping_ = true;
  for (auto& each : threads_) each.join();
  threads_.clear();
}

void enqueuers::note(const char* event, const wish& job, const std::string& detail) const {
  record_.note(std::string("enqueuer ") + event + " " + job.kind + " " + job.name +
               (detail.empty() ? "" : " " + detail));
}

void enqueuers::note_answers(const std::vector<wish>& jobs,
                             const std::vector<std::optional<std::string>>& ids) {
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    note(ids[i] ? "enqueued" : "existed", jobs[i], ids[i].value_or(""));
    if (!ids[i] || class_of(jobs[i].name) != "gone") continue;
    const std::lock_guard lock(deleting_);
    deletable_.push_back({jobs[i].kind, jobs[i].name, *ids[i]});
  }
}

std::vector<known_job> enqueuers::take_deletable() {
  const std::lock_guard lock(deleting_);
  if (deletable_.size() <= least_deletable) return {};
  const auto end = deletable_.end() - least_deletable;
  std::vector<known_job> taken(deletable_.begin(), end);
  deletable_.erase(deletable_.begin(), end);
  return taken;
}

std::unique_ptr<pqxx::connection> enqueuers::connect() const {
  while (!stopping_) {
    try {
      return std::make_unique<pqxx::connection>(patient(url_));
    } catch (const std::exception&) {
      std::this_thread::sleep_for(100ms);
    }
  }
  return nullptr;
}

enqueuers::wish enqueuers::wish_of(std::uint64_t number) const {
  const auto chance = draw(seed_, "wish", number);
  const bool blocking = chance % 10 == 0;
  std::string job_class = chance / 10 % 25 == 0 ? "late" : "job";
  if (chance / 250 % 200 == 0) job_class = "doomed";
  // Only coroutines have steps, and only one table is deleted from.
  if (!blocking && chance / 50'000 % 40 == 0) job_class = "pages";
  if (!blocking && chance / 50'000 % 100 == 1) job_class = "gone";
  return {blocking ? "chaos_blocking" : "chaos", job_class + "-" + std::to_string(number)};
}

std::vector<enqueuers::wish> enqueuers::next_batch(std::size_t size) {
  std::vector<wish> batch;
  for (std::size_t i = 0; i < size; ++i) {
    const auto number = next_++;
    const bool again = number > again_after && draw(seed_, "again", number) % one_again_in == 0;
    const auto earlier = wish_of(again ? number - again_after : number);
    // What may have been deleted would come anew.
    batch.push_back(again && class_of(earlier.name) == "gone" ? wish_of(number) : earlier);
  }
  return batch;
}

std::vector<relative> enqueuers::next_family(std::mt19937_64& rng) {
  if (rng() % one_family_in != 0) return {};
  return family_of(seed_, next_family_++);
}

/// The jobs of the transaction come first among the ids. One that existed is asked for its id: it
/// may run by now, or have ended.
void enqueuers::enqueue_family(pqxx::work& tx, const std::vector<relative>& family,
                               const std::vector<known_job>& jobs,
                               std::vector<std::optional<std::string>>& ids, joined& joins) const {
  std::map<std::string, known_job> made;
  for (const auto& one : family) {
    ids.push_back(rowrunner::enqueue(tx, "chaos", job_named(one.name)));
    if (!ids.back()) continue;
    const known_job child{"chaos", one.name, *ids.back()};
    made[one.name] = child;
    std::vector<known_job> parents;
    for (const auto& name : one.after) parents.push_back(made.at(name));
    if (one.after.empty() && !one.after_nothing) parents = jobs;
    joins.add(one.name, join_to(tx, record_, child, parents, terms_of(seed_, one.name)));
  }
}

/// In one transaction. False if what came of it is not known.
bool enqueuers::enqueue(pqxx::connection& on, const std::vector<wish>& jobs,
                        const std::vector<relative>& family) {
  auto all = jobs;
  for (const auto& one : family) all.push_back({"chaos", one.name});
  for (const auto& job : all) note("enqueue", job);
  std::vector<std::optional<std::string>> ids;
  joined joins;
  try {
    pqxx::work tx(on);
    std::vector<known_job> known;
    for (const auto& job : jobs) {
      ids.push_back(rowrunner::enqueue(tx, job.kind, job_named(job.name)));
      if (family.empty()) continue;
      const auto id =
          ids.back()
              ? *ids.back()
              : pg::exec(tx, "SELECT id FROM " + job.kind + "_jobs WHERE name = $1", job.name)[0][0]
                    .as<std::string>();
      known.push_back({job.kind, job.name, id});
    }
    enqueue_family(tx, family, known, ids, joins);
    tx.commit();
  } catch (const std::exception& e) {
    for (const auto& job : all) note("unknown", job, e.what());
    return false;
  }
  note_answers(all, ids);
  joins.note(record_);
  return true;
}

void enqueuers::enqueue_with(
    pqxx::connection& on, const std::string& name,
    const std::function<void(pqxx::work& tx, const known_job& made, joined& joins)>& besides) {
  const wish job{"chaos", name};
  note("enqueue", job);
  std::optional<std::string> id;
  joined joins;
  try {
    pqxx::work tx(on);
    id = rowrunner::enqueue(tx, job.kind, job_named(name));
    if (id) besides(tx, {job.kind, name, *id}, joins);
    tx.commit();
  } catch (const std::exception& e) {
    note("unknown", job, e.what());
    throw;
  }
  note_answers({job}, {id});
  joins.note(record_);
}

void enqueuers::run(int number) {
  std::mt19937_64 rng(draw(seed_, "enqueuer", static_cast<std::uint64_t>(number)));
  std::vector<wish> doubtful;
  auto connection = connect();
  auto due = std::chrono::steady_clock::now();
  while (!stopping_) {
    // What is in doubt is tried again, as an application does that got no answer.
    auto batch = next_batch(1 + rng() % most_at_once);
    const auto family = next_family(rng);
    batch.insert(batch.end(), doubtful.begin(), doubtful.end());
    doubtful.clear();
    if (!enqueue(*connection, batch, family)) {
      doubtful = batch;
      connection = connect();
    }
    const auto pause = 1'000'000 * chaos_threads * (batch.size() + family.size()) /
                       static_cast<std::uint64_t>(per_second_);
    due += std::chrono::microseconds{pause / 2 + rng() % (pause + 1)};
    // What could not be enqueued in a bad time is not all made up for at once.
    due = std::max(due, std::chrono::steady_clock::now() - most_behind);
    std::this_thread::sleep_until(due);
  }
}

/// A plan, its spots and a job for each, in one transaction. False if what came of it is not known.
bool enqueuers::enqueue_pictures(pqxx::connection& on, std::uint64_t plan) {
  const std::string plan_id = "plan-" + std::to_string(plan);
  std::vector<wish> jobs;
  for (std::uint64_t i = 0; i < spots_of_a_plan; ++i) {
    jobs.push_back({"spot_image", plan_id + "/spot-" + std::to_string(i)});
    note("enqueue", jobs.back());
  }
  std::vector<std::optional<std::string>> ids;
  try {
    pqxx::work tx(on);
    pg::exec(tx,
             "INSERT INTO travel_plans (plan_id, title) VALUES ($1, 'A plan')"
             " ON CONFLICT DO NOTHING",
             plan_id);
    for (std::uint64_t i = 0; i < spots_of_a_plan; ++i) {
      const std::string spot = "spot-" + std::to_string(i);
      pg::exec(tx,
               "INSERT INTO spots (plan_id, spot_name) VALUES ($1, $2)"
               " ON CONFLICT DO NOTHING",
               plan_id, spot);
      const auto made = pg::exec(tx,
                                 "INSERT INTO spot_image_jobs (plan_id, spot_name)"
                                 " VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING id",
                                 plan_id, spot);
      ids.push_back(made.empty() ? std::nullopt : std::optional(made[0][0].as<std::string>()));
    }
    tx.commit();
  } catch (const std::exception& e) {
    for (const auto& job : jobs) note("unknown", job, e.what());
    return false;
  }
  note_answers(jobs, ids);
  return true;
}

void enqueuers::run_pictures() {
  std::mt19937_64 rng(draw(seed_, "pictures"));
  auto connection = connect();
  for (std::uint64_t plan = 0; !stopping_;) {
    if (enqueue_pictures(*connection, plan)) {
      if (rng() % 10 != 0) ++plan;  // or the same once more
    } else {
      connection = connect();
    }
    std::this_thread::sleep_for(std::chrono::milliseconds{300 + rng() % 600});
  }
}

void enqueuers::add(const std::string& kind, const std::string& job_class, int how_many) {
  std::vector<wish> jobs;
  for (int i = 0; i < how_many; ++i) {
    jobs.push_back({kind, job_class + "-x" + std::to_string(next_special_++)});
  }
  // Many of them are joined: what runs after them meets whatever becomes of their workers.
  const std::vector<relative> family{{"after-x" + std::to_string(next_special_++), {}, false}};
  try {
    pqxx::connection direct(patient(direct_url_));
    enqueue(direct, jobs, how_many > 4 ? family : std::vector<relative>{});
  } catch (const pqxx::broken_connection&) {
    // The server is away, and nothing was asked of it.
  }
}

void enqueuers::refuse(pqxx::connection& on, const std::string& label, const std::string& name) {
  const wish job{"chaos", "refused-" + label + std::to_string(next_special_++)};
  note("enqueue", job);
  try {
    pqxx::work tx(on);
    const auto id = rowrunner::enqueue(tx, job.kind, job_named(name));
    tx.commit();
    note(id ? "enqueued" : "existed", job, id.value_or(""));
  } catch (const bad_input& e) {
    note("refused", job, e.what());
  } catch (const pqxx::sql_error& e) {
    note("refused", job, e.what());
  } catch (const std::exception& e) {
    note("unknown", job, e.what());
  }
}

void enqueuers::add_poison(const std::string& folder) {
  try {
    pqxx::connection direct(patient(direct_url_));
    refuse(direct, "nul", std::string("a\0b", 3));
    refuse(direct, "utf8", "a\xff\xfe");
    refuse(direct, "surrogate", "a\xed\xa0\x80");
    refuse(direct, "decomposed", "cafe\xcc\x81");
    refuse(direct, "long", std::string(2'000'000, 'x'));
  } catch (const pqxx::broken_connection&) {
    return;
  }
  const std::string file = folder + "/deep.json";
  std::ofstream(file) << R"({"plan_id":"deep","title":"t","spots":)" << std::string(100'000, '[')
                      << std::string(100'000, ']') << "}";
  const wish job{"spot_image", "refused-deep" + std::to_string(next_special_++)};
  note("enqueue", job);
  const auto import =
      testing::run_process({testing::rowrunner_binary(), "plan", "import", file, "--enqueue"},
                           {{"DATABASE_URL", direct_url_}});
  note(import.exit_code == 0 ? "enqueued" : "refused", job, import.err.substr(0, 200));
}

void enqueuers::storm(int clients, const std::string& pooled_url) {
  const wish job{"chaos", "job-storm" + std::to_string(next_special_++)};
  std::vector<std::thread> crowd;
  for (int i = 0; i < clients; ++i) {
    crowd.emplace_back([&] {
      try {
        pqxx::connection one(patient(pooled_url));
        enqueue(one, {job});
      } catch (const std::exception&) {
        // It did not get as far as asking.
      }
    });
  }
  for (auto& each : crowd) each.join();
}

}  // namespace rowrunner::chaos
