#pragma once

#include "common/pg/error.hpp"

namespace rowrunner {

/// How jobs are claimed: many in one statement; those whose rows are not locked; or one after the
/// other, each in a subtransaction.
enum class claim_mode { bulk, careful, one_by_one };

/// What to do after a claim failed.
enum class claim_remedy {
  give_up,       ///< A problem of the connection, the server or the table: try later.
  without_turn,  ///< Another session holds the lock by which claims take turns.
  careful,
  one_by_one,
};

/// `failed_before`: the last claims of the kind have failed too.
claim_remedy remedy_for(const pg::query_error& failure, claim_mode mode, bool failed_before);

}  // namespace rowrunner
