#pragma once

#include <stdexcept>
#include <string>

namespace rowrunner::admin {

enum class reason {
  bad_argument,       ///< A value makes no sense, whatever the database holds.
  bad_cursor,         ///< A page cannot begin there.
  no_paging,          ///< This list has one page only.
  cursor_gone,        ///< The job that the page before ended with is not in the list any more.
  no_such_job,        ///< No job table has that id.
  unknown_kind,       ///< No table is attached under that name.
  wrong_status,       ///< The job's status does not allow it.
  table_locked,       ///< Another session has locked a whole job table.
  job_locked,         ///< Another session has locked the row of a job.
  schema_unfit,       ///< The schema does not serve this binary.
  migration_refused,  ///< Nothing was migrated.
};

/// What was asked for cannot be done, which is no fault of the database: those are pg::error. The
/// message is for people.
class error : public std::runtime_error {
 public:
  error(reason why, const std::string& what) : std::runtime_error(what), why_(why) {}

  reason why() const noexcept { return why_; }

 private:
  reason why_;
};

}  // namespace rowrunner::admin
