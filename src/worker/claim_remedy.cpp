#include "worker/claim_remedy.hpp"

#include "queries/engine.hpp"

namespace rowrunner {

namespace {

constexpr const char* lock_not_available = "55P03";
/// Raised by rowrunner.refuse_table.
constexpr const char* another_table = "RR001";

}  // namespace

claim_remedy remedy_for(const pg::query_error& failure, claim_mode mode, bool failed_before) {
  if (mode == claim_mode::one_by_one || failure.sqlstate() == another_table) {
    return claim_remedy::try_later;
  }
  if (failure.sqlstate() == lock_not_available) {
    if (failure.statement_name() == queries::claim_turn.name) return claim_remedy::without_turn;
    return mode == claim_mode::bulk ? claim_remedy::free : claim_remedy::one_by_one;
  }
  switch (pg::classify(failure.sqlstate())) {
    case pg::error_class::connection:
      return claim_remedy::try_later;
    case pg::error_class::retry_transaction:
      // A trigger may raise such an error for one row every time.
      return failed_before ? claim_remedy::one_by_one : claim_remedy::try_later;
    case pg::error_class::permanent:
      return claim_remedy::one_by_one;
  }
  return claim_remedy::try_later;
}

}  // namespace rowrunner
