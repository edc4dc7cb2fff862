// Faults of the database: the server itself, its connections, locks and limits.

#include <memory>
#include <vector>

#include "chaos/runner/catalogue.hpp"
#include "chaos/runner/faults/borrowed.hpp"
#include "common/pg/exec.hpp"

namespace rowrunner::chaos {

using namespace std::chrono_literals;

namespace {

const std::string rowrunner_backends =
    "FROM pg_stat_activity WHERE application_name LIKE 'rowrunner %'";

void run(stage& on, const std::string& sql) {
  const auto connection = on.ground.connect();
  pqxx::nontransaction tx(*connection);
  tx.exec(sql);
}

/// New connections have this setting; those that are open are ended, so that there are new ones.
void with_setting(stage& on, const std::string& setting, std::chrono::milliseconds time) {
  const std::string name = setting.substr(0, setting.find(' '));
  const auto renew = [&] { run(on, "SELECT pg_terminate_backend(pid) " + rowrunner_backends); };
  while_there_is_a_server([&] {
    run(on, "ALTER DATABASE chaos SET " + setting);
    renew();
  });
  on.pause(time);
  // It must be undone, whatever else happens.
  for (bool undone = false; !undone;) {
    while_there_is_a_server([&] {
      run(on, "ALTER DATABASE chaos RESET " + name);
      renew();
      undone = true;
    });
    if (!undone) std::this_thread::sleep_for(100ms);
  }
}

const char* any_job_table(std::mt19937_64& rng) {
  constexpr const char* tables[] = {"chaos_jobs", "chaos_jobs", "chaos_blocking_jobs",
                                    "spot_image_jobs"};
  return tables[rng() % std::size(tables)];
}

}  // namespace

void terminate_backends(stage& on, std::mt19937_64& rng) {
  for (auto rounds = 1 + rng() % 3; rounds > 0 && on.raging(); --rounds) {
    while_there_is_a_server([&] {
      run(on, "SELECT pg_terminate_backend(pid) FROM (SELECT pid " + rowrunner_backends +
                  " ORDER BY random() LIMIT " + std::to_string(1 + rng() % 5) + ") some");
    });
    on.pause(between(rng, 100, 500));
  }
}

void crash_server(stage& on, std::mt19937_64& rng) {
  static std::mutex one_at_a_time;
  const std::unique_lock alone(one_at_a_time, std::try_to_lock);
  if (!alone) return;
  const noted_impairment noted(on, "all");
  on.record.note("runner crash");
  on.ground.crash_server();
  on.pause(between(rng, 0, 2'000));
  on.ground.start_server();
  on.record.note("runner up");
}

void hoard_connections(stage& on, std::mt19937_64& rng) {
  const noted_impairment noted(on, "all");
  std::vector<std::unique_ptr<pqxx::connection>> hoard;
  const auto time = between(rng, 500, 2'500);
  try {
    for (int i = 0; i < 200; ++i) {
      hoard.push_back(std::make_unique<pqxx::connection>(on.ground.url()));
    }
  } catch (const pqxx::failure&) {
    // "too many clients": that is all of them.
  }
  on.pause(time);
}

void lock_table(stage& on, std::mt19937_64& rng) {
  const std::string table = any_job_table(rng);
  const auto time = between(rng, 300, 6'000);
  while_there_is_a_server([&] {
    const auto connection = on.ground.connect();
    pqxx::work tx(*connection);
    tx.exec("LOCK TABLE " + table + " IN ACCESS EXCLUSIVE MODE");
    on.pause(time);
  });
}

void lock_rows(stage& on, std::mt19937_64& rng) {
  const std::string table = any_job_table(rng);
  const auto time = between(rng, 300, 3'000);
  while_there_is_a_server([&] {
    const auto connection = on.ground.connect();
    pqxx::work tx(*connection);
    tx.exec("SELECT FROM " + table +
            " WHERE status IN ('queued', 'processing') ORDER BY random() LIMIT 20 FOR UPDATE");
    on.pause(time);
  });
}

/// Everybody locks leases before jobs; this one does it the other way round.
void make_deadlocks(stage& on, std::mt19937_64& rng) {
  for (auto rounds = 3 + rng() % 5; rounds > 0 && on.raging(); --rounds) {
    while_there_is_a_server([&] {
      const auto connection = on.ground.connect();
      pqxx::work tx(*connection);
      tx.exec("SET LOCAL lock_timeout = '2s'");
      const auto held = tx.exec(
          "SELECT lease FROM chaos_jobs WHERE status = 'processing' ORDER BY random() LIMIT 5"
          " FOR UPDATE");
      on.pause(between(rng, 20, 100));
      for (const auto& row : held) {
        pg::exec(tx, "SELECT FROM rowrunner.leases WHERE lease = $1 FOR UPDATE",
                 row[0].as<std::string>());
      }
    });
    on.pause(between(rng, 50, 300));
  }
}

void limit_statements(stage& on, std::mt19937_64& rng) {
  with_setting(on, "statement_timeout = '25ms'", between(rng, 1'000, 3'000));
}

void make_serializable(stage& on, std::mt19937_64& rng) {
  with_setting(on, "default_transaction_isolation = 'serializable'", between(rng, 1'000, 3'000));
}

void hold_xmin(stage& on, std::mt19937_64& rng) {
  const auto time = between(rng, 3'000, 9'000);
  while_there_is_a_server([&] {
    const auto connection = on.ground.connect();
    pqxx::transaction<pqxx::repeatable_read> tx(*connection);
    tx.exec("SELECT count(*) FROM chaos_jobs");
    on.pause(time);
  });
}

}  // namespace rowrunner::chaos
