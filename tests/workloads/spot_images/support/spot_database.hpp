#pragma once

#include <string>

#include "support/jobs.hpp"

namespace rowrunner::testing {

/// A database that has the tables of spot images; as in support/jobs.hpp, but of their job table.
class spot_database : public test_database {
 public:
  spot_database() : test_database(contents::workloads) {}
};

inline std::string lost_jobs(spot_database& db) { return lost_jobs(db, "spot_image_jobs"); }

inline std::string insert_job(spot_database& db, const std::string& name,
                              const std::string& more = "", const std::string& values = "") {
  return db.value("INSERT INTO spot_image_jobs (plan_id, spot_name" +
                  (more.empty() ? "" : ", " + more) + ") VALUES ('plan', '" + name + "'" +
                  (values.empty() ? "" : ", " + values) + ") RETURNING id");
}

/// The names of all waiting jobs, claimed one after the other, as "a b c".
inline std::string claim_names(spot_database& db) {
  std::string out;
  for (;;) {
    const auto name = db.value("SELECT rowrunner.claim('spot_image', 'tester')->>'spot_name'");
    if (name.empty()) return out;
    out += (out.empty() ? "" : " ") + name;
  }
}

}  // namespace rowrunner::testing
