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

new_job job_named(const std::string& name) {
  new_job job;
  job.columns["name"] = name;
  return job;
}

/// A client that gives up in time, or a stall would hold up the end of the run.
std::string patient(const std::string& url) {
  return url + "?connect_timeout=3&tcp_user_timeout=5000&keepalives_idle=2";
}

}  // namespace

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
                             const std::vector<std::optional<std::string>>& ids) const {
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    note(ids[i] ? "enqueued" : "existed", jobs[i], ids[i].value_or(""));
  }
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
  return {blocking ? "chaos_blocking" : "chaos", job_class + "-" + std::to_string(number)};
}

std::vector<enqueuers::wish> enqueuers::next_batch(std::size_t size) {
  std::vector<wish> batch;
  for (std::size_t i = 0; i < size; ++i) {
    const auto number = next_++;
    const bool again = number > again_after && draw(seed_, "again", number) % one_again_in == 0;
    batch.push_back(wish_of(again ? number - again_after : number));
  }
  return batch;
}

/// In one transaction. False if what came of it is not known.
bool enqueuers::enqueue(pqxx::connection& on, const std::vector<wish>& jobs) {
  for (const auto& job : jobs) note("enqueue", job);
  std::vector<std::optional<std::string>> ids;
  try {
    pqxx::work tx(on);
    for (const auto& job : jobs) {
      ids.push_back(rowrunner::enqueue(tx, job.kind, job_named(job.name)));
    }
    tx.commit();
  } catch (const std::exception& e) {
    for (const auto& job : jobs) note("unknown", job, e.what());
    return false;
  }
  note_answers(jobs, ids);
  return true;
}

void enqueuers::run(int number) {
  std::mt19937_64 rng(draw(seed_, "enqueuer", static_cast<std::uint64_t>(number)));
  std::vector<wish> doubtful;
  auto connection = connect();
  auto due = std::chrono::steady_clock::now();
  while (!stopping_) {
    // What is in doubt is tried again, as an application does that got no answer.
    auto batch = next_batch(1 + rng() % most_at_once);
    batch.insert(batch.end(), doubtful.begin(), doubtful.end());
    doubtful.clear();
    if (!enqueue(*connection, batch)) {
      doubtful = batch;
      connection = connect();
    }
    const auto pause =
        1'000'000 * chaos_threads * batch.size() / static_cast<std::uint64_t>(per_second_);
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
  try {
    pqxx::connection direct(patient(direct_url_));
    enqueue(direct, jobs);
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
