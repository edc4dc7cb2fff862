#include "chaos/runner/collect.hpp"

#include <fstream>

#include "chaos/runner/pictures.hpp"
#include "common/pg/exec.hpp"

namespace rowrunner::chaos {
namespace {

/// Every job table under its kind, with one column for the name.
const std::string all_jobs =
    "(SELECT id, 'chaos' AS kind, name, status, attempts, max_attempts, last_error, born"
    "  FROM chaos_jobs"
    " UNION ALL SELECT id, 'chaos_blocking', name, status, attempts, max_attempts, last_error, born"
    "  FROM chaos_blocking_jobs"
    " UNION ALL SELECT id, 'spot_image', plan_id || '/' || spot_name, status, attempts,"
    "  max_attempts, last_error, 0 FROM spot_image_jobs) j";

/// Of a column with a time: microseconds since 1970.
std::string micros(const std::string& column) {
  return "(EXTRACT(epoch FROM " + column + ") * 1000000)::bigint";
}

void write_rows(pqxx::work& tx, std::ofstream& out, const std::string& table,
                const std::string& sql) {
  for (const auto& row : tx.exec(sql)) {
    out << table;
    for (const auto& field : row) {
      out << '\t';
      for (const char c : std::string(field.c_str())) {
        out << (c == '\t' || c == '\n' ? ' ' : c);
      }
    }
    out << '\n';
  }
}

void write_joins(pqxx::work& tx, std::ofstream& out) {
  write_rows(tx, out, "join",
             "SELECT n, txid, " + micros("at") + ", what, child_id, parent_id, policy, " +
                 micros("at_latest") + ", snapshot FROM chaos_joins ORDER BY n");
  write_rows(tx, out, "job",
             "SELECT id, 'chaos', name, status, attempts, max_attempts, left(last_error, 200), born"
             " FROM chaos_deleted");
  write_rows(tx, out, "deleted", "SELECT id, n, txid FROM chaos_deleted");
  write_rows(tx, out, "page", "SELECT job_id, step, lease, txid FROM chaos_pages");
  write_rows(tx, out, "progress",
             "SELECT p.job_id, p.done, p.message FROM rowrunner.progress p"
             " JOIN rowrunner.kinds k ON k.id = p.kind WHERE k.kind = 'chaos'");
}

}  // namespace

std::int64_t jobs_left(pqxx::connection& on) {
  pqxx::work tx(on);
  return tx
      .exec("SELECT count(*) FROM " + all_jobs +
            " WHERE status NOT IN ('succeeded', 'failed', 'cancelled')")[0][0]
      .as<std::int64_t>();
}

bool is_taken_over(pqxx::connection& on, const std::string& worker) {
  constexpr const char* question =
      "WITH lost AS (SELECT n, job_id FROM chaos_transitions WHERE worker = $1 AND after = 'queued'"
      "              AND error = 'worker ' || $1 || ' was lost')"
      " SELECT CASE WHEN EXISTS (SELECT FROM rowrunner.leases WHERE worker = $1) THEN false"
      "             ELSE NOT EXISTS (SELECT FROM lost)"
      "                  OR EXISTS (SELECT FROM lost l JOIN chaos_transitions t ON t.job_id = "
      "l.job_id"
      "                             WHERE t.n > l.n AND t.after = 'processing') END";
  pqxx::work tx(on);
  return pg::exec(tx, question, worker)[0][0].as<bool>();
}

void collect(const arena& ground, const std::string& path) {
  std::ofstream out(path);
  const auto connection = ground.connect();
  pqxx::work tx(*connection);
  write_rows(tx, out, "job",
             "SELECT id, kind, name, status, attempts, max_attempts, left(last_error, 200), born"
             " FROM " +
                 all_jobs);
  write_rows(tx, out, "transition",
             "SELECT n, txid, " + micros("at") +
                 ", kind, job_id, before,"
                 " after, old_lease, new_lease, old_attempts, new_attempts, worker, error"
                 " FROM chaos_transitions ORDER BY n");
  write_rows(tx, out, "effect", "SELECT job_id, lease, txid FROM chaos_effects");
  write_rows(tx, out, "step",
             "SELECT job_id, step, written, held, txid, " + micros("at") + " FROM chaos_steps");
  write_joins(tx, out);
  write_rows(tx, out, "disagreement", "SELECT job_id, txid, spot, job FROM chaos_disagreements");
  write_rows(tx, out, "charge", "SELECT job_id FROM rowrunner.attempts");
  for (const auto& row : tx.exec("SELECT j.id, s.image_status, s.image_url FROM spots s"
                                 " JOIN spot_image_jobs j USING (plan_id, spot_name)")) {
    out << "picture\t" << row[0].c_str() << '\t' << row[1].c_str() << '\t'
        << state_of_file(row[2].is_null() ? "" : row[2].c_str()) << '\n';
  }
}

}  // namespace rowrunner::chaos
