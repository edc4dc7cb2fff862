#include "chaos/runner/relatives.hpp"

#include "chaos/behaviour.hpp"
#include "common/pg/exec.hpp"

namespace rowrunner::chaos {

using namespace std::chrono_literals;

namespace {

/// Some jobs that run just now. Not by a look at all jobs, of which there are too many.
const std::string running_jobs =
    "SELECT j.id, j.name FROM (SELECT unnest(l.job_ids) AS id FROM rowrunner.leases l"
    "  JOIN rowrunner.kinds k ON k.id = l.kind WHERE k.kind = 'chaos' LIMIT 200) r"
    " JOIN chaos_jobs j USING (id) WHERE j.status = 'processing' ORDER BY random() LIMIT 4";

constexpr std::size_t most_recent = 6;

std::vector<known_job> running(pqxx::dbtransaction& tx) {
  std::vector<known_job> found;
  for (const auto& row : tx.exec(running_jobs)) {
    found.push_back({"chaos", row[1].as<std::string>(), row[0].as<std::string>()});
  }
  return found;
}

std::vector<known_job> taken(std::vector<known_job>& from, std::size_t how_many) {
  std::vector<known_job> found;
  while (!from.empty() && found.size() < how_many) {
    found.push_back(from.back());
    from.pop_back();
  }
  return found;
}

}  // namespace

relatives::relatives(std::uint64_t seed, const history& record, std::string url,
                     enqueuers& enqueuing)
    : seed_(seed),
      record_(record),
      url_(std::move(url)),
      enqueuing_(enqueuing),
      rng_(draw(seed, "relatives")),
      thread_([this] { run(); }) {}

relatives::~relatives() {
  stopping_ = true;
  thread_.join();
}

void relatives::run() {
  std::unique_ptr<pqxx::connection> connection;
  while (!stopping_) {
    std::this_thread::sleep_for(std::chrono::milliseconds{100 + rng_() % 400});
    try {
      if (!connection) connection = std::make_unique<pqxx::connection>(url_);
      act(*connection);
    } catch (const pqxx::sql_error&) {
      // What it asked for is not possible (any more): the child has fired, or a time ran out.
    } catch (const std::exception&) {
      connection.reset();
    }
  }
}

void relatives::act(pqxx::connection& on) {
  switch (rng_() % 8) {
    case 0:
    case 1:
      return join_running(on);
    case 2:
    case 3:
    case 4:
      return add_parents(on);
    case 5:
      return disturb_held(on);
    case 6:
      return requeue_parents(on);
    default:
      return delete_some(on);
  }
}

/// The transaction is open for a while, as one of an application may be. Jobs that end meanwhile
/// wait for it.
void relatives::join_running(pqxx::connection& on) {
  const std::string name = "after-r" + std::to_string(number_++);
  const auto how = terms_of(seed_, name);
  enqueuing_.enqueue_with(on, name, [&](pqxx::work& tx, const known_job& child, joined& joins) {
    auto parents = running(tx);
    const auto first = taken(parents, 2);
    joins.add(name, join_to(tx, record_, child, first, how));
    std::this_thread::sleep_for(std::chrono::milliseconds{20 + rng_() % 200});
    // More of them, if the first call has left the child waiting.
    if (!parents.empty() && !first.empty()) {
      joins.add(name, join_to(tx, record_, child, parents, how));
    }
    recent_.push_back(child);
  });
}

/// The child may be ready by now: the session that releases it then waits for this transaction.
void relatives::add_parents(pqxx::connection& on) {
  if (recent_.size() > most_recent) recent_.erase(recent_.begin());
  if (recent_.empty()) return;
  const auto chosen = recent_.begin() + static_cast<std::ptrdiff_t>(rng_() % recent_.size());
  const known_job child = *chosen;
  recent_.erase(chosen);
  pqxx::work tx(on);
  joined joins;
  // Those that it waits for already would count twice.
  auto parents = running(tx);
  for (const auto& row : pg::exec(tx,
                                  "SELECT parent_id FROM rowrunner.edges WHERE child_id = $1"
                                  " UNION SELECT $1::uuid",
                                  child.id)) {
    const auto id = row[0].as<std::string>();
    std::erase_if(parents, [&](const auto& one) { return one.id == id; });
  }
  if (parents.empty()) return;
  joins.add(child.name, join_to(tx, record_, child, parents, terms_of(seed_, child.name)));
  std::this_thread::sleep_for(std::chrono::milliseconds{rng_() % 300});
  tx.commit();
  joins.note(record_);
  recent_.push_back(child);
}

/// None of this lets a child run that waits.
void relatives::disturb_held(pqxx::connection& on) {
  record_.note("runner disturb");
  pqxx::work tx(on);
  tx.exec("SET LOCAL lock_timeout = '1s'");
  const std::string change = rng_() % 3 == 0 ? "run_at = now()" : "priority = 1 - j.priority";
  tx.exec("UPDATE chaos_jobs j SET " + change +
          " WHERE j.id = ANY (ARRAY(SELECT w.child_id FROM rowrunner.waits w"
          " ORDER BY random() LIMIT 3)) AND j.status = 'queued'");
  tx.commit();
}

/// Failed parents of children that wait until they succeed.
void relatives::requeue_parents(pqxx::connection& on) {
  pqxx::nontransaction tx(on);
  for (const auto& row :
       tx.exec("SELECT j.id, j.name FROM rowrunner.edges e JOIN chaos_jobs j ON j.id = e.parent_id"
               " WHERE j.status IN ('failed', 'cancelled') LIMIT 2")) {
    record_.note("runner requeue " + row[1].as<std::string>());
    pg::exec(tx, "SELECT rowrunner.requeue('chaos', $1)", row[0].as<std::string>());
  }
}

void relatives::delete_some(pqxx::connection& on) {
  for (const auto& job : enqueuing_.take_deletable()) {
    record_.note("runner delete " + job.name);
    pqxx::nontransaction tx(on);
    pg::exec(tx, "DELETE FROM chaos_jobs WHERE id = $1", job.id);
  }
}

}  // namespace rowrunner::chaos
