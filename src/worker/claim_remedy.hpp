#pragma once

#include "common/pg/error.hpp"

namespace rowrunner {

/// How jobs are claimed: many in one statement (claim.sql); only those whose rows are not locked
/// (claim_free.sql); or one after the other, each in a subtransaction (claim_each.sql).
enum class claim_mode { bulk, free, one_by_one };

/// What to do after a claim failed.
enum class claim_remedy {
  try_later,     ///< A problem of the connection, the server or the table.
  without_turn,  ///< Another session holds the lock by which claims take turns.
  free,
  one_by_one,
};

/// `failed_before`: the last claims of the kind have failed too.
claim_remedy remedy_for(const pg::query_error& failure, claim_mode mode, bool failed_before);

}  // namespace rowrunner
