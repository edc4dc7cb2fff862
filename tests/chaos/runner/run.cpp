#include "chaos/runner/run.hpp"

#include <unistd.h>

#include <filesystem>
#include <iostream>
#include <thread>

#include "chaos/behaviour.hpp"
#include "chaos/paths.hpp"
#include "chaos/runner/catalogue.hpp"
#include "chaos/runner/collect.hpp"
#include "chaos/runner/pulse.hpp"
#include "chaos/runner/relatives.hpp"
#include "chaos/runner/watcher.hpp"
#include "support/paths.hpp"

namespace rowrunner::chaos {

using namespace std::chrono_literals;

namespace {

constexpr int faults_at_once = 3;
/// Longer than any job may take, with those that wait for it and those that wait for these, so that
/// one that does is seen to be late.
constexpr auto longest_drain = 75s;
constexpr auto longest_drain_with_sloths = 120s;
constexpr const char* image_api_key = "chaos-image-key-7b1f";

bool wanted(const run_options& options, const std::string& fault) {
  return options.faults.empty() ||
         std::find(options.faults.begin(), options.faults.end(), fault) != options.faults.end();
}

/// The last third of the slots makes pictures with the shipped binary; the others run the jobs that
/// misbehave. One of each kind is behind the pooler, and one has a wrong clock.
worker_plan plan_for(int index, const run_options& options, arena& ground,
                     const image_server& images, const history& record) {
  const int pictures_from = options.workers - options.workers / 3;
  const bool pictures = index >= pictures_from;
  const bool pooled = wanted(options, "pooler") && (index == 2 || index == pictures_from);
  worker_plan plan;
  plan.slot = "w" + std::to_string(index);
  plan.telling = !pictures && !pooled;
  plan.environment = {{"DATABASE_URL", ground.open_link(plan.slot, pooled)},
                      {"ROWRUNNER_POOLED", pooled ? "1" : "0"},
                      {"CHAOS_SEED", std::to_string(options.seed)},
                      {"CHAOS_HISTORY", record.path()},
                      {"IMAGE_PROVIDER", "http"},
                      {"IMAGE_API_BASE_URL", images.base_url()},
                      {"IMAGE_API_KEY", image_api_key},
                      {"LOCAL_STORAGE_PATH", options.folder + "/pictures"}};
  const std::string wrong_clock = wrong_clock_libraries();
  if (wanted(options, "clock") && index == 1 && !wrong_clock.empty()) {
    plan.environment["LD_PRELOAD"] = wrong_clock;
    plan.environment["FAKETIME"] = draw(options.seed, "clock") % 2 == 0 ? "+1h" : "-1h";
    plan.environment["FAKETIME_DONT_FAKE_MONOTONIC"] = "1";
  }
  if (!options.worker.empty()) {
    plan.argv = {options.worker};
    if (pictures) plan.argv.emplace_back("spot_image");
  } else if (pictures) {
    plan.argv = {testing::rowrunner_binary(), "worker"};
  } else {
    plan.argv = {chaos_worker_binary()};
  }
  return plan;
}

/// "pooler" and "clock" are about how workers are started; all others are dealt.
std::vector<std::string> dealt_faults(const run_options& options) {
  std::vector<std::string> names;
  for (const auto& name : options.faults) {
    if (name != "pooler" && name != "clock") names.push_back(name);
  }
  return names;
}

void make_faults(stage& on, deck& cards, std::mutex& dealing, std::uint64_t seed) {
  std::mt19937_64 rng(seed);
  while (on.raging()) {
    const fault* next = nullptr;
    {
      const std::lock_guard lock(dealing);
      next = cards.deal(on.time_left());
    }
    if (next == nullptr) {
      on.pause(100ms);
      continue;
    }
    const std::string name = std::to_string(next->number) + " " + std::string(next->name);
    on.record.note("runner fault-begin " + name);
    next->make(on, rng);
    on.record.note("runner fault-end " + name);
    on.pause(std::chrono::milliseconds{rng() % 300});
  }
}

void rage(stage& on, const run_options& options) {
  deck cards(options.seed, dealt_faults(options));
  std::mutex dealing;
  on.begin(std::chrono::seconds{options.seconds});
  std::vector<std::thread> hands;
  for (int i = 0; i < faults_at_once; ++i) {
    const auto seed = draw(options.seed, "hand", static_cast<std::uint64_t>(i));
    hands.emplace_back([&, seed] { make_faults(on, cards, dealing, seed); });
  }
  on.pause(std::chrono::seconds{options.seconds});
  on.calm();
  for (auto& each : hands) each.join();
}

/// Until every worker is there and jobs flow: a fault that hits a worker without work shows
/// nothing.
void warm_up(const arena& ground, int workers) {
  const auto connection = ground.connect();
  const std::string flowing =
      "SELECT (SELECT count(*) FROM rowrunner.workers) >= " + std::to_string(workers) +
      " AND (SELECT count(*) FROM chaos_transitions) > 200";
  for (const auto begun = std::chrono::steady_clock::now();;) {
    pqxx::work tx(*connection);
    if (tx.exec(flowing)[0][0].as<bool>()) return;
    if (std::chrono::steady_clock::now() - begun > 60s) {
      throw std::runtime_error("the workers do not work, even without faults");
    }
    std::this_thread::sleep_for(50ms);
  }
}

void drain(const arena& ground, const history& record, std::chrono::seconds at_most) {
  const auto begun = std::chrono::steady_clock::now();
  record.note("runner healed");
  const auto connection = ground.connect();
  std::int64_t left = jobs_left(*connection);
  while (left > 0 && std::chrono::steady_clock::now() - begun < at_most) {
    std::this_thread::sleep_for(100ms);
    left = jobs_left(*connection);
  }
  record.note("runner drained " + std::to_string(left));
}

void note_settings(const history& record, const run_options& options) {
  record.note("runner settings " + std::to_string(options.seed) + " seconds " +
              std::to_string(options.seconds) + " lease_ms " + std::to_string(lease.count()) +
              " grace_ms " + std::to_string(grace.count()) + " bound_ms " +
              std::to_string((lease + sweep + retries).count()));
}

}  // namespace

std::string fault_names() {
  std::string lines = "12 pooler\n14 clock\n";
  for (const auto& each : all_faults()) {
    lines += std::to_string(each.number) + " " + std::string(each.name) + "\n";
  }
  return lines;
}

std::vector<std::string> run(const run_options& options) {
  const deck known(options.seed, dealt_faults(options));  // an unknown name is found before all
  std::filesystem::create_directories(options.folder + "/workers");
  std::filesystem::create_directories(options.folder + "/pictures");
  const history record(options.folder + "/history.log");
  note_settings(record, options);
  arena ground(options.folder);
  image_server images(options.seed, options.folder + "/outside.log");
  enqueuers enqueuing(options.seed, record, ground.open_link("enqueuers", false), ground.url());
  const auto relatives_url = patient(ground.open_link("relatives", false));
  std::vector<worker_plan> plans;
  for (int i = 0; i < options.workers; ++i) {
    plans.push_back(plan_for(i, options, ground, images, record));
  }
  fleet workers(std::move(plans), record, options.folder + "/workers");
  {
    const watcher eyes(ground, record);
    const pulse heart(ground, record);
    enqueuing.start(options.jobs_per_second);
    auto joining = std::make_optional<relatives>(options.seed, record, relatives_url, enqueuing);
    warm_up(ground, options.workers);
    stage on(options.folder, record, ground, workers, enqueuing, images);
    rage(on, options);
    images.set(image_server::mood::well);
    joining.reset();
    enqueuing.stop();
    drain(ground, record,
          options.seconds > long_run.count() ? longest_drain_with_sloths : longest_drain);
  }
  workers.measure();
  workers.shut_down();
  collect(ground, options.folder + "/database.tsv");
  return {ground.password(), image_api_key};
}

}  // namespace rowrunner::chaos
